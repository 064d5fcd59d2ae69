"""A program that looks for planted words everywhere that an agent can reach, and says where.

Given to an agent as a file; the word does not stand in it, so that it does not find itself.
"""

SPY = r"""
import json, os, re, stat, subprocess, sys, zlib

WORD = re.compile(bytes.fromhex("7a7137") + b"cana" + rb"ry[-_][a-z]+", re.I)
found, looked = {}, {}


def look(where, data):
    kind = where.split(":")[0]
    looked[kind] = looked.get(kind, 0) + 1
    for word in WORD.findall(data if isinstance(data, bytes) else os.fsencode(str(data))):
        found.setdefault(word.decode().lower().replace('_', '-'), []).append(where[:100])


def read(path, most=4_000_000):
    try:
        if stat.S_ISREG(os.stat(path).st_mode):
            with open(path, "rb") as file:
                return file.read(most)
    except OSError:
        pass
    return b""


def short(path):  # files of /proc have no size
    try:
        with open(path, "rb") as file:
            return file.read(200_000)
    except OSError:
        return b""


def everything(top, kind):
    for folder, names, files in os.walk(os.fsencode(top)):
        if any(one.startswith(b"python3") for one in names):  # the libraries of an interpreter
            names[:] = [one for one in names if not one.startswith(b"python3")]
        if folder == b"/":
            names[:] = [one for one in names if one not in {b"proc", b"sys", b"usr"}]
        for name in (*names, *files):
            look(f"{kind}:{os.fsdecode(os.path.join(folder, name))}", name)
        for name in files:
            path = os.path.join(folder, name)
            look(f"{kind}:{os.fsdecode(path)}", read(path))
            if os.path.islink(path):
                look(f"{kind}:{os.fsdecode(path)}", os.readlink(path))


def git(*words):
    done = subprocess.run(["git", *words], capture_output=True, check=False)
    look("git:" + " ".join(words), done.stdout + done.stderr)


everything("/", "file")
everything(os.environ.get("HOME", "/"), "home")
git("log", "-p", "--all", "--reflog", "--stat")
git("cat-file", "--batch-all-objects", "--batch", "--unordered")
git("fsck", "--lost-found", "--unreachable", "--no-progress")
git("for-each-ref")
git("stash", "list")
git("config", "--list", "--show-origin")
for folder, _, names in os.walk(".git"):
    for name in names:
        raw = read(os.path.join(folder, name))
        try:
            look("object:" + name, zlib.decompress(raw))
        except zlib.error:
            look("object:" + name, raw)
look("environment:own", "\n".join(f"{k}={v}" for k, v in os.environ.items()))
look("argv:own", " ".join(sys.argv))
look("prompt:stdin", sys.stdin.read() if not sys.stdin.isatty() else "")
for name in sorted(os.listdir("/proc")):
    if name.isdecimal() or name in {"self", "mounts", "cmdline", "sched_debug", "keys"}:
        for part in ("", *"environ cmdline comm maps mountinfo cgroup status".split()):
            look(f"proc:{name}/{part}", short(f"/proc/{name}/{part}".rstrip("/")))
        for part in ("fd", "root", "cwd", "task"):
            try:
                inner = os.listdir(f"/proc/{name}/{part}")
            except OSError:
                continue
            look(f"proc:{name}/{part}", " ".join(inner))
            for one in inner if part == "fd" else ():
                try:
                    look(f"proc:{name}/fd", os.readlink(f"/proc/{name}/fd/{one}"))
                except OSError:
                    pass
for name in ("unix", "tcp", "tcp6", "udp"):
    look(f"socket:{name}", short(f"/proc/net/{name}"))
for one in ("/tmp", "/var/tmp", "/dev/shm", "/run", "/home", "/root", "/mnt", "/etc"):
    try:
        look(f"folder:{one}", " ".join(os.listdir(one)))
    except OSError:
        pass
told = {word: sorted(set(places))[:40] for word, places in found.items()}
print("SPIED " + json.dumps({"found": told, "looked": looked}))
"""
"""Prints a line that begins with SPIED: word -> places, and how often it looked at what."""
