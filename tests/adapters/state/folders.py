"""A small folder that holds one of everything a folder can hold."""

import os
from pathlib import Path


def filled(folder: Path, *, n_files: int = 5) -> Path:
    """Fills a new folder with files, links, a pipe, odd names and odd modes."""
    folder.mkdir(parents=True)
    for k in range(n_files):
        part = folder / f"part-{k % 7}"
        part.mkdir(exist_ok=True)
        part.joinpath(f"{k}.txt").write_bytes(b"%d\n" % k * 200)
    folder.joinpath("empty").mkdir()
    folder.joinpath("run.sh").write_text("#!/bin/sh\n")
    folder.joinpath("run.sh").chmod(0o751)
    folder.joinpath("secret").write_text("s")
    folder.joinpath("secret").chmod(0o600)
    folder.joinpath("read only").mkdir()
    folder.joinpath("read only", "x\ny").write_text("odd")
    folder.joinpath("ümläut ✓").write_text("name")
    Path(os.fsdecode(os.fsencode(folder) + b"/\xff\xfe")).write_text("no UTF-8")
    folder.joinpath("out").symlink_to("../outside/precious")
    folder.joinpath("in").symlink_to("part-0")
    folder.joinpath("broken").symlink_to("nowhere")
    os.mkfifo(folder / "pipe")
    os.utime(folder / "secret", ns=(1_000_000_123, 2_000_000_456))
    folder.joinpath("read only").chmod(0o555)
    return folder


def everything(folder: Path) -> dict[bytes, tuple[object, ...]]:
    """Gives all that can be seen of a folder: names, modes, times, contents, links."""
    found: dict[bytes, tuple[object, ...]] = {}
    for path in [folder, *folder.rglob("*")]:
        status = path.lstat()
        held: object = None
        if path.is_symlink():
            held = path.readlink()
        elif path.is_file():
            held = path.read_bytes()
        when = None if path.is_symlink() else status.st_mtime_ns
        found[os.fsencode(path.relative_to(folder))] = (status.st_mode, when, held)
    return found
