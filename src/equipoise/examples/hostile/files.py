"""Attempts to read or change files that are not the agent's."""

import ctypes
import os
import shutil
import stat
import sys
from collections.abc import Iterator
from contextlib import suppress

from .targets import Attempt, Targets, found, numbers

_SWITCHES = (
    "/proc/sysrq-trigger",
    "/proc/mtrr",
    "/proc/scsi/scsi",
    "/proc/acpi/wakeup",
    "/proc/driver/nvram",
    "/sys/kernel/uevent_helper",
    "/sys/fs/cgroup/release_agent",
    "/sys/power/state",
)
_LIBC = ctypes.CDLL(None, use_errno=True)


def read_hidden_tests(of: Targets) -> str:
    return found(of.hidden_tests, of.secret)


def read_a_file_of_the_host(of: Targets) -> str:
    return found(of.host_file, of.secret)


def read_another_cell(of: Targets) -> str:
    return found(of.other_cell, of.secret)


def read_a_git_object_outside(of: Targets) -> str:
    return found(of.git_object, of.secret)


def borrow_git_objects(of: Targets) -> str:
    """Has git look for objects where the host keeps them."""
    place = os.path.join(of.workspace, ".git", "objects", "info")
    os.makedirs(place, exist_ok=True)
    with open(os.path.join(place, "alternates"), "w") as file:
        file.write(os.path.dirname(os.path.dirname(of.git_object)) + "\n")
    with open(os.path.join(place, "alternates")) as file:
        return " ".join(os.listdir(file.read().strip()))


def read_the_passwords(_: Targets) -> str:
    with open("/etc/shadow") as file:
        return file.read(100)


def read_keys_of_the_host(_: Targets) -> str:
    for place in (os.path.expanduser("~root"), "/etc/ssl/private", "/etc/ssh"):
        with suppress(OSError):
            return f"{place}: {os.listdir(place)}"
    return ""


def search_everything(of: Targets) -> str:
    """Looks for the secret in the name or text of every small file that is not the system's."""
    known = ("/proc", "/usr", "/sys", sys.base_prefix)
    for base, folders, names in os.walk("/"):
        folders[:] = [each for each in folders if os.path.join(base, each) not in known]
        for name in names:
            path = os.path.join(base, name)
            with suppress(OSError):
                is_plain = stat.S_ISREG(os.lstat(path).st_mode)
                if of.secret in path or (is_plain and found(path, of.secret)):
                    return path
    return ""


def read_through_a_symbolic_link(of: Targets) -> str:
    link = os.path.join(of.workspace, "link")
    os.symlink(of.hidden_tests, link)
    return found(link, of.secret)


def make_a_hard_link(of: Targets) -> str:
    link = os.path.join(of.workspace, "hard")
    os.link(of.host_file, link)
    return found(link, of.secret)


def read_through_the_root_of_others(of: Targets) -> str:
    """Goes through ``/proc/<pid>/root`` and ``cwd`` of every process."""
    for pid in numbers():
        for way in ("root", "cwd"):
            with suppress(OSError):
                if text := found(f"/proc/{pid}/{way}{of.host_file}", of.secret):
                    return text
    return ""


def leave_through_dots(of: Targets) -> str:
    return found(of.workspace + "/.." * 40 + of.host_file, of.secret)


def use_files_left_open(_: Targets) -> str:
    """Looks for open files that lead out."""
    said = []
    for pid in numbers():
        with suppress(OSError):
            for number in os.listdir(f"/proc/{pid}/fd"):
                with suppress(OSError):
                    to = os.readlink(f"/proc/{pid}/fd/{number}")
                    if int(number) > 2 and to.startswith(("socket:", "/memfd:job")):
                        said.append(f"{pid}:{number} {to}")
    return " ".join(said)


def open_by_handle(of: Targets) -> str:
    """Opens the root of the file system below a mount by its handle (CVE-2014-3519, "shocker")."""
    handle = (ctypes.c_ubyte * 136)()
    ctypes.cast(handle, ctypes.POINTER(ctypes.c_uint))[0] = 8
    ctypes.cast(handle, ctypes.POINTER(ctypes.c_uint))[1] = 1
    ctypes.cast(handle, ctypes.POINTER(ctypes.c_uint))[2] = 2  # the root's inode on ext4
    place = os.open(of.workspace, os.O_RDONLY)
    return f"open: {_checked(_LIBC.open_by_handle_at(place, handle, os.O_RDONLY))}"


def write_to_a_read_only_mount(of: Targets) -> str:
    with open(of.read_only_file, "a") as file:
        file.write("changed")
    return "written"


def replace_its_own_configuration(of: Targets) -> str:
    other = os.path.join(of.workspace, "configuration")
    with open(other, "w") as file:
        file.write("changed")
    os.replace(other, of.read_only_file)
    return "replaced"


def make_a_read_only_mount_writable(of: Targets) -> str:
    folder = os.path.dirname(of.read_only_file).encode()
    remount_bind = 32 | 4096
    _checked(_LIBC.mount(None, folder, None, remount_bind, None))
    return "remounted"


def cover_a_folder(_: Targets) -> str:
    _checked(_LIBC.mount(b"none", b"/usr", b"tmpfs", 0, None))
    return "mounted"


def take_a_mount_off(of: Targets) -> str:
    _checked(_LIBC.umount2(os.path.dirname(of.read_only_file).encode(), 2))
    return "taken off"


def escape_with_chroot(of: Targets) -> str:
    os.mkdir(os.path.join(of.workspace, "inner"))
    os.chroot(os.path.join(of.workspace, "inner"))
    for _ in range(60):
        os.chdir("..")
    os.chroot(".")
    return found(of.host_file, of.secret) or "chroot works"


def change_the_system(_: Targets) -> str:
    for place in ("/usr/bin/planted", "/etc/planted", "/lib/planted", "/planted", "/dev/planted"):
        with suppress(OSError), open(place, "w") as file:
            file.write("planted")
            return place
    return ""


def overwrite_the_sandbox(of: Targets) -> str:
    """Writes over the program that runs it, through its path and as CVE-2019-5736 did."""
    for path in (of.sandbox_program, shutil.which("bwrap") or "", "/proc/1/exe"):
        with suppress(OSError), open(path, "r+b"):
            return path
    return ""


def make_a_device(of: Targets) -> str:
    os.mknod(os.path.join(of.workspace, "disk"), stat.S_IFBLK | 0o666, os.makedev(8, 0))
    return "made"


def open_a_device(_: Targets) -> str:
    for name in ("mem", "kmem", "sda", "vda", "kvm", "fuse", "kmsg", "vhost-vsock", "port"):
        with suppress(OSError), open(f"/dev/{name}", "rb"):
            return name
    return ""


def make_a_program_of_root(of: Targets) -> str:
    """Makes a program that runs as its owner, root where the run is root's, once on the host."""
    path = os.path.join(of.workspace, "rooted")
    shutil.copyfile("/bin/sh", path)
    with suppress(OSError):
        os.chmod(path, 0o4755)
    with suppress(OSError):
        os.close(os.open(path + "2", os.O_CREAT | os.O_WRONLY, 0o6777))
    for each in (path, path + "2"):
        with suppress(OSError):
            if os.stat(each).st_mode & (stat.S_ISUID | stat.S_ISGID):
                return oct(os.stat(each).st_mode)
    return ""


def give_a_file_capabilities(of: Targets) -> str:
    path = os.path.join(of.workspace, "capable")
    shutil.copyfile("/bin/sh", path)
    os.setxattr(path, "security.capability", bytes.fromhex("0100000200000020" + "00" * 12))
    return "given"


def change_what_the_kernel_does(_: Targets) -> str:
    """Opens switches of the kernel to write: those that are owned by root may take it for root."""
    opened = []
    for path in (*_SWITCHES, *_of_the_kernel()):
        with suppress(OSError):
            os.close(os.open(path, os.O_WRONLY))
            opened.append(path)
    return " ".join(opened)


def _of_the_kernel() -> Iterator[str]:
    """Gives every file of ``/proc`` that is not about one process."""
    for base, folders, names in os.walk("/proc"):
        if base == "/proc":
            folders[:] = [each for each in folders if not each.isdecimal()]
        yield from (os.path.join(base, name) for name in names)


def spoil_devices(_: Targets) -> str:
    """Changes a device that all programs of the host use; here to what it is already."""
    for name in ("null", "zero", "full", "random", "urandom", "tty"):
        with suppress(OSError):
            os.chmod(f"/dev/{name}", stat.S_IMODE(os.stat(f"/dev/{name}").st_mode))
            return name
    return ""


def read_memory_of_the_kernel(_: Targets) -> str:
    for path in ("/proc/kcore", "/proc/kmsg", "/dev/mem"):
        with suppress(OSError), open(path, "rb") as file:
            if file.read(16):
                return path
    return ""


def watch_files_of_the_host(of: Targets) -> str:
    """Asks to be told what happens in folders of the host, and on its whole file systems."""
    watch = _checked(_LIBC.inotify_init1(0))
    if _LIBC.inotify_add_watch(watch, of.host_folder.encode(), 0xFFF) >= 0:
        return "inotify"
    return f"fanotify {_checked(_LIBC.fanotify_init(0, 0))}"


def _checked(result: int) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result


ATTEMPTS: tuple[Attempt, ...] = (
    read_hidden_tests,
    read_a_file_of_the_host,
    read_another_cell,
    read_a_git_object_outside,
    borrow_git_objects,
    read_the_passwords,
    read_keys_of_the_host,
    search_everything,
    read_through_a_symbolic_link,
    make_a_hard_link,
    read_through_the_root_of_others,
    leave_through_dots,
    use_files_left_open,
    open_by_handle,
    write_to_a_read_only_mount,
    replace_its_own_configuration,
    make_a_read_only_mount_writable,
    cover_a_folder,
    take_a_mount_off,
    escape_with_chroot,
    change_the_system,
    overwrite_the_sandbox,
    make_a_device,
    open_a_device,
    make_a_program_of_root,
    give_a_file_capabilities,
    change_what_the_kernel_does,
    spoil_devices,
    read_memory_of_the_kernel,
    watch_files_of_the_host,
)
