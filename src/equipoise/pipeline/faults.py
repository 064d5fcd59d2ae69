"""What a verification says: what was checked, and what does not follow."""

import msgspec


class Fault(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One thing that does not follow from the record, or (`is_note`) is only worth knowing.

    `file` is relative to the folder that was verified; `line` counts from 1. `made_by` is another
    version of the tool, which made the file: it follows otherwise now, and was not seen altered.
    """

    file: str
    what: str
    line: int | None = None
    expected: str = ""
    found: str = ""
    is_note: bool = False
    made_by: str = ""

    @property
    def text(self) -> str:
        """Gives the fault in one line."""
        place = self.file if self.line is None else f"{self.file}:{self.line}"
        seen = [f"expected {self.expected}"] if self.expected else []
        seen += [f"found {self.found}"] if self.found else []
        return f"{place}: {self.what}" + (f" ({', '.join(seen)})" if seen else "")


class Check(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One thing that was checked, what was seen, and what is wrong with it.

    `is_left_out`: it could not be looked at, for what it needs is kept back; it is not verified.
    """

    thing: str
    says: str
    faults: tuple[Fault, ...] = ()
    is_left_out: bool = False
