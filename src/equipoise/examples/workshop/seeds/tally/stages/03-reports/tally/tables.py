"""Draws small tables of text."""

# TODO: cut long texts instead of breaking the table


def draw(rows, header=None):
    rows = [[str(cell) for cell in row] for row in rows]
    if header:
        rows = [list(header)] + rows
    if not rows:
        return ""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    lines = []
    for number, row in enumerate(rows):
        lines.append("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip())
        if header and number == 0:
            lines.append("  ".join("-" * width for width in widths))
    return "\n".join(lines)
