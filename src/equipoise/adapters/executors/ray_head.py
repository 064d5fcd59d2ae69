"""A program: a Ray cluster of this machine alone, up until its standard input ends.

It is started with an environment of its own, which is all that workers inherit, and it outlives
whoever started it just long enough to end the cluster and remove its folder.
"""

import fcntl
import shutil
import sys
from importlib import import_module
from pathlib import Path

_OBJECTS_BYTES = 80 * 2**20


def main(folder: Path, n_cpus: int) -> None:
    """Starts the cluster, says its address, and ends it once nobody is there any more."""
    with (folder / "alive").open("wb") as alive:
        fcntl.flock(alive, fcntl.LOCK_EX)
        try:
            ray = import_module("ray")
            context = ray.init(
                address="local",
                num_cpus=n_cpus,
                num_gpus=0,
                include_dashboard=False,
                configure_logging=False,
                log_to_driver=False,
                object_store_memory=_OBJECTS_BYTES,
                _temp_dir=str(folder),
            )
            sys.stdout.write(f"\n{_MARK}{context.address_info['gcs_address']}\n")
            sys.stdout.flush()
            sys.stdin.read()
            ray.shutdown()
        finally:
            shutil.rmtree(folder, ignore_errors=True)


_MARK = "address "

if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
