"""What the stages need of where attempts are executed: in this process, or by workers elsewhere."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from equipoise.ports import System


@dataclass(frozen=True, slots=True, kw_only=True)
class Posting:
    """What a worker needs to execute an arm by itself; it can be sent to another process.

    `make` gives the system of the arm, not yet entered, which keeps what it needs meanwhile in the
    folder it is given and may spend the share of the money that it is given (1 = all of it);
    `sweep` ends the programs that a killed worker left, by its folder. `keys` are the variables
    that hold keys of models: their values are handed to a worker when it starts, in its memory
    alone, and are in no posting. `study`
    is the folder of the study and `work` that of the run, which every worker must see under the
    same path. `environment` is all of our environment that a system gets.
    """

    make: Callable[[Path, float], System]
    sweep: Callable[[Path], int]
    study: Path
    work: Path
    environment: Mapping[str, str]
    concurrency: int
    keys: tuple[str, ...] = ()


class Executor(Protocol):
    """Where attempts are executed; `is_here`: nowhere but in this process."""

    is_here: bool

    def placed(self, posting: Posting) -> System:
        """Gives the arm's system, executed wherever this executor executes.

        What becomes of a worker never raises: an attempt whose worker is lost is an `Answer` with
        an ending that may be tried again.

        Raises:
            InputError: the arm's specification is wrong.
            Blocked: there are no workers, or they cannot execute this study.
        """
        ...
