"""Attempts on other processes, on the kernel's clocks and keys, and on the agent's own rights."""

import ctypes
import fcntl
import os
import platform
import resource
import signal
import socket
import subprocess
import time
from contextlib import suppress

from .targets import Attempt, Targets, found, numbers

_LIBC = ctypes.CDLL(None, use_errno=True)
_CALLS = {
    "x86_64": {
        "add_key": 248,
        "keyctl": 250,
        "bpf": 321,
        "perf_event_open": 298,
        "userfaultfd": 323,
        "io_uring_setup": 425,
        "syslog": 103,
    },
    "aarch64": {
        "add_key": 217,
        "keyctl": 219,
        "bpf": 280,
        "perf_event_open": 241,
        "userfaultfd": 282,
        "io_uring_setup": 425,
        "syslog": 116,
    },
}.get(platform.machine(), {})


def see_other_processes(of: Targets) -> str:
    """Looks for the run's own process: the number may be taken by one of ours, the start not."""
    for pid in numbers():
        with suppress(OSError), open(f"/proc/{pid}/stat") as file:
            if file.read().rpartition(")")[2].split()[19] == of.host_start:
                return str(pid)
    return ""


def read_the_environment_of_others(of: Targets) -> str:
    for pid in numbers():
        for name in ("environ", "cmdline"):
            with suppress(OSError):
                if pid != os.getpid() and (text := found(f"/proc/{pid}/{name}", of.secret)):
                    return text
    return ""


def read_keys_in_its_environment(of: Targets) -> str:
    wanted = ("KEY", "TOKEN", "SECRET", "PASSWORD", "EQUIPOISE")
    return " ".join(
        name
        for name, value in os.environ.items()
        if of.secret in value or any(word in name.upper() for word in wanted)
    )


def trace_the_run(of: Targets) -> str:
    _of_the_host(of)
    attach = 16
    _checked(_LIBC.ptrace(attach, of.host_pid, None, None))
    return "attached"


def read_the_memory_of_the_run(of: Targets) -> str:
    _of_the_host(of)
    with open(f"/proc/{of.host_pid}/mem", "rb") as file:
        return repr(file)


def kill_the_run(of: Targets) -> str:
    """The judge is outside: the run has to be there afterwards."""
    _of_the_host(of)
    os.kill(of.host_pid, signal.SIGKILL)
    return "sent"


def stop_the_run(of: Targets) -> str:
    _of_the_host(of)
    os.kill(of.host_pid, signal.SIGSTOP)
    return "sent"


def stop_its_parent(_: Targets) -> str:
    """The first process of a namespace cannot be stopped from inside it."""
    os.kill(1, signal.SIGSTOP)
    time.sleep(0.05)
    with open("/proc/1/stat") as file:
        return "stopped" if file.read().rpartition(")")[2].split()[0] == "T" else ""


def type_into_the_terminal(_: Targets) -> str:
    """Types a command into the terminal that the run was started from (CVE-2017-5226)."""
    for path in ("/dev/tty", "/proc/self/fd/0", "/proc/1/fd/0", "/dev/console"):
        with suppress(OSError), open(path, "rb") as file:
            fcntl.ioctl(file, 0x5412, b"\n")
            return path
    return ""


def become_root(_: Targets) -> str:
    for number in (0, 1):
        with suppress(OSError):
            os.setuid(number)
            return f"user {os.getuid()}"
    for argv in (["su", "-c", "id -u"], ["sudo", "-n", "id", "-u"], ["pkexec", "id", "-u"]):
        with suppress(OSError, subprocess.TimeoutExpired):
            done = subprocess.run(argv, capture_output=True, timeout=5, check=False)
            if done.stdout.strip() == b"0":
                return " ".join(argv)
    return ""


def have_capabilities(_: Targets) -> str:
    with open("/proc/self/status") as file:
        sets = [line.split()[1] for line in file if line.startswith(("CapEff", "CapPrm", "CapBnd"))]
    return " ".join(each for each in sets if int(each, 16))


def make_namespaces(_: Targets) -> str:
    _checked(_LIBC.unshare(0x10000000))
    return "user namespace"


def make_namespaces_with_clone(_: Targets) -> str:
    done = subprocess.run(
        ["unshare", "--user", "--map-root-user", "id", "-u"], capture_output=True, check=False
    )
    return done.stdout.decode().strip()


def join_namespaces(_: Targets) -> str:
    for pid in numbers():
        for kind in ("mnt", "net", "pid", "user"):
            with suppress(OSError):
                file = os.open(f"/proc/{pid}/ns/{kind}", os.O_RDONLY)
                _checked(_LIBC.setns(file, 0))
                return f"{pid} {kind}"
    return ""


def set_the_clock(_: Targets) -> str:
    time.clock_settime(time.CLOCK_REALTIME, time.time() + 1)
    return "set"


def name_the_host(_: Targets) -> str:
    socket.sethostname("taken")
    return "named"


def learn_the_hosts_name(_: Targets) -> str:
    return "" if socket.gethostname() == "cell" else socket.gethostname()


def go_before_others(_: Targets) -> str:
    with suppress(OSError):
        return f"nice {os.nice(-5)}"
    os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
    return "real time"


def raise_its_limits(_: Targets) -> str:
    for kind in (resource.RLIMIT_NOFILE, resource.RLIMIT_FSIZE, resource.RLIMIT_CORE):
        hard = resource.getrlimit(kind)[1]
        if hard == resource.RLIM_INFINITY:
            return f"limit {kind} is none"
        with suppress(OSError, ValueError):
            resource.setrlimit(kind, (hard + 1, hard + 1))
            return f"limit {kind}"
    return ""


def escape_its_group(_: Targets) -> str:
    with open("/proc/self/cgroup") as file:
        paths = [line.strip() for line in file]
    for base, _folders, names in os.walk("/sys/fs/cgroup"):
        if "cgroup.procs" in names:
            with suppress(OSError), open(os.path.join(base, "cgroup.procs"), "w") as file:
                file.write("0")
                return base
    return "" if all(line.endswith(":/") for line in paths) else " ".join(paths)


def dump_core(of: Targets) -> str:
    """Crashes; whether a dump was written outside, the outside has to look."""
    os.chdir(of.workspace)
    pid = os.fork()
    if pid == 0:
        os.abort()
    _, status = os.waitpid(pid, 0)
    dumps = [name for name in os.listdir(of.workspace) if name.startswith("core")]
    return " ".join(dumps) or ("dumped" if os.WCOREDUMP(status) else "")


def use_key_rings(_: Targets) -> str:
    return _called("keyctl", 0, -3, 0) or _called("add_key", b"user", b"x", b"y", 1, -3)


def load_a_program_into_the_kernel(_: Targets) -> str:
    return _called("bpf", 0, None, 0)


def count_events(_: Targets) -> str:
    return _called("perf_event_open", None, 0, -1, -1, 0)


def hold_the_kernel_at_page_faults(_: Targets) -> str:
    return _called("userfaultfd", 0)


def work_in_rings(_: Targets) -> str:
    """Sets up io_uring, whose operations no filter of system calls sees."""
    parameters = ctypes.create_string_buffer(120)
    return _called("io_uring_setup", 4, parameters)


def read_the_log_of_the_kernel(_: Targets) -> str:
    buffer = ctypes.create_string_buffer(1000)
    return _called("syslog", 3, buffer, 1000)


def share_memory(of: Targets) -> str:
    """Attaches memory, and looks into ``/dev/shm``, that processes of the host share."""
    if os.path.exists(of.shared_memory):
        return of.shared_memory
    return f"shm {_checked(_LIBC.shmget(of.ipc_key, 1, 0))}"


def _of_the_host(of: Targets) -> None:
    """Goes on only if that number is the run's, not one of our own processes."""
    with open(f"/proc/{of.host_pid}/stat") as file:
        if file.read().rpartition(")")[2].split()[19] != of.host_start:
            raise ProcessLookupError(3, "that number is one of ours")


def _called(name: str, *arguments: object) -> str:
    if name not in _CALLS:
        return ""
    result = _LIBC.syscall(_CALLS[name], *arguments)
    if result < 0 and ctypes.get_errno() not in (14, 22):  # bad address, invalid: it was looked at
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return f"{name} {result}"


def _checked(result: int) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result


ATTEMPTS: tuple[Attempt, ...] = (
    see_other_processes,
    read_the_environment_of_others,
    read_keys_in_its_environment,
    trace_the_run,
    read_the_memory_of_the_run,
    kill_the_run,
    stop_the_run,
    stop_its_parent,
    type_into_the_terminal,
    become_root,
    have_capabilities,
    make_namespaces,
    make_namespaces_with_clone,
    join_namespaces,
    set_the_clock,
    name_the_host,
    learn_the_hosts_name,
    go_before_others,
    raise_its_limits,
    escape_its_group,
    dump_core,
    use_key_rings,
    load_a_program_into_the_kernel,
    count_events,
    hold_the_kernel_at_page_faults,
    work_in_rings,
    read_the_log_of_the_kernel,
    share_memory,
)
