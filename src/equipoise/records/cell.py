"""A cell: what is to be executed once, with an identity that no order changes."""

import msgspec

from equipoise.records.codec import digest, encode, identity_of


class Cell(msgspec.Struct, frozen=True, kw_only=True):
    """Unit x arm x model x repetition; `id` is a hash of these four, the key of resume."""

    unit: str
    arm: str
    repetition: int = 1
    model: str | None = None

    @property
    def id(self) -> str:
        """Gives the cell's id, 16 hexadecimal digits."""
        return identity_of("cell", self.unit, self.arm, self.model, self.repetition)

    def seed(self, root: int, witness: str = "") -> int:
        """Gives the cell's own seed, 63 bits, from the plan's and the witness's digest.

        The arm is left out, so that both arms of a unit meet the same chance.
        """
        parts = ["seed", root, witness, self.unit, self.model, self.repetition]
        return int(digest(encode(parts))[:16], 16) >> 1
