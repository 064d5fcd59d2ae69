"""What a command found when it held itself against inputs with known answers."""

import msgspec


class FailedVector(msgspec.Struct, frozen=True, kw_only=True):
    """An input that got another answer than it must get; `diff` shows both, line by line."""

    id: str
    says: str
    diff: str


class SelfTest(msgspec.Struct, frozen=True, kw_only=True):
    """A self-test: how many vectors of which command passed, and which did not.

    Args:
        command: what was tested, such as ``terms kana``.
        vectors: where they come from: ``built-in`` or a file.
        n: how many vectors there are.
        n_passed: how many got the expected answer.
        failed: the others.
        versions: name -> version of what answered; a part that is not installed is not named.
        left_out: checks that could not be made here, and why.
    """

    command: str
    vectors: str
    n: int
    n_passed: int
    failed: tuple[FailedVector, ...]
    versions: dict[str, str]
    left_out: tuple[str, ...] = ()
