"""Which judges may judge a set: none of a family that had a hand in one of its outputs."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

Families = str | Sequence[str | None] | None

_UNKNOWN = frozenset({"", "unknown", "?", "none", "null", "n/a"})


@dataclass(frozen=True, slots=True, kw_only=True)
class GuardResult:
    """The judges of one set.

    Attributes:
        allowed: judges that may judge it, in the order given.
        excluded: judge -> reason: ``same_family:NAME``, ``unknown_family``, or
            ``unknown_family_of_output:NAME``.
    """

    allowed: tuple[str, ...]
    excluded: Mapping[str, str]

    @property
    def is_evaluable(self) -> bool:
        """Whether any judge is left."""
        return bool(self.allowed)


def guard_families(
    judges: Mapping[str, Families],
    outputs: Mapping[str, Families],
    *,
    known: Collection[str] | None = None,
) -> GuardResult:
    """The judges whose family touched no output of the set, at no stage.

    Args:
        judges: judge -> its family, or several.
        outputs: output or system -> the family of the model behind it, or of the models of all
            its stages (draft, editor, selector).
        known: names of families that exist; any other is unknown. By default every name is taken.

    A judge of unknown family is refused; an output of unknown family refuses every judge, because
    nobody can be shown to be foreign to it. Names are compared without regard to case.

    >>> guard_families({"j1": "google", "j2": "xai"}, {"C1": ["deepseek", "xai"]}).excluded
    {'j2': 'same_family:xai'}
    """
    table = None if known is None else {name.strip().casefold() for name in known}
    touched: set[str] = set()
    unknown_output = ""
    for name, families in outputs.items():
        found = _named(families, table)
        if found is None:
            unknown_output = unknown_output or name
        else:
            touched |= found.keys()
    excluded = {}
    for judge, families in judges.items():
        own = _named(families, table)
        if own is None:
            excluded[judge] = "unknown_family"
        elif shared := sorted(own.keys() & touched):
            excluded[judge] = f"same_family:{','.join(own[name] for name in shared)}"
        elif unknown_output:
            excluded[judge] = f"unknown_family_of_output:{unknown_output}"
    return GuardResult(
        allowed=tuple(judge for judge in judges if judge not in excluded), excluded=excluded
    )


def _named(families: Families, known: set[str] | None) -> dict[str, str] | None:
    """The families, lower case -> as written; None where one of them is not known."""
    given = [families] if isinstance(families, str) or families is None else list(families)
    names = {(name or "").strip().casefold(): (name or "").strip() for name in given}
    if not names or names.keys() & _UNKNOWN or (known is not None and names.keys() - known):
        return None
    return names
