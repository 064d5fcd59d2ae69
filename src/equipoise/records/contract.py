"""A contract: what must stand in a document of one kind, such as a fix note or a design."""

from typing import Literal

import msgspec


class FrontMatterRule(
    msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True
):
    """Keys that the front matter of a document must have, and the values that some may have."""

    required: tuple[str, ...] = ()
    values: dict[str, tuple[str, ...]] = {}


class SectionRule(
    msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True
):
    """A heading that a document must have, with at least so many words below it."""

    heading: str
    min_words: int = 1


class Contract(
    msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True
):
    """A file of a pack's `contracts`; which documents have to keep it, scenarios say.

    Documents are ``markdown`` with `front_matter` and `sections`, or ``yaml`` with `keys`, each of
    which must hold something; `each` are the keys of every entry of a list: of the document itself
    where it is one, else of each list under `keys`. `forbidden` are regular expressions that must
    not be found, such as placeholders.
    """

    name: str
    about: str = ""
    format: Literal["markdown", "yaml"] = "markdown"
    front_matter: FrontMatterRule = FrontMatterRule()
    sections: tuple[SectionRule, ...] = ()
    forbidden: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    each: tuple[str, ...] = ()


class ContractedDocument(
    msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True
):
    """Documents that must be left, by their paths, and the contract that each has to keep."""

    glob: str
    contract: Contract
