"""Executes within this process: the default."""

from equipoise.ports import System
from equipoise.ports.executors import Posting


class LocalExecutor:
    """Gives the arm's system as it is."""

    is_here = True

    def placed(self, posting: Posting) -> System:
        """Gives the system, which keeps what it needs in the folder of the run."""
        return posting.make(posting.work, 1.0)
