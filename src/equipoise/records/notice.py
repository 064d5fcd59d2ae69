"""What a reader has to tell about a source: things it could not read, mended or found odd."""

from enum import StrEnum

import msgspec


class Severity(StrEnum):
    """How much a notice matters."""

    INFO = "info"  # worth knowing
    WARNING = "warning"  # changes what may be concluded
    LOST = "lost"  # something could not be read and is missing from the archive
    REFUSED = "refused"  # a record was refused as invalid


class Notice(
    msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag_field="record", tag="notice"
):
    """One thing to tell: a stable `code`, what was found, what it means, where, how often.

    `where` is ``file:line`` or ``file: field``; `count` how many times the same was met (only the
    first places are named).
    """

    code: str
    message: str
    severity: Severity = Severity.WARNING
    where: str = ""
    count: int = 1


class Headline(
    msgspec.Struct,
    frozen=True,
    kw_only=True,
    omit_defaults=True,
    tag_field="record",
    tag="headline",
):
    """A figure that a source declares about itself, to be checked against its rows.

    `metric` is a name such as ``accuracy``, ``mean``, ``n_resolved``, ``total_cost``; `arm` the arm
    it speaks of ("" = the whole source); `value` null when the source declares NaN.
    """

    metric: str
    value: float | None
    arm: str = ""
    where: str = ""


class Attachment(
    msgspec.Struct,
    frozen=True,
    kw_only=True,
    omit_defaults=True,
    tag_field="record",
    tag="attachment",
):
    """A document that belongs to the source and is to be kept as a blob.

    Content is read from `path` (a file inside the source's folder) or is given as `text`.
    """

    name: str
    sha256: str
    n_bytes: int
    path: str = ""
    text: str = ""
