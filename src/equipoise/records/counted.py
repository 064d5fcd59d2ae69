"""A number with its noun, in the singular where it is one."""


def counted(n: int, noun: str, plural: str = "") -> str:
    """Gives ``1 unit`` or ``1,000 units``.

    >>> counted(1, "unit"), counted(1_000, "unit"), counted(0, "family", "families")
    ('1 unit', '1,000 units', '0 families')
    """
    return f"{n:,} {noun if n == 1 else plural or noun + 's'}"
