"""Where a quote stands in a document."""


def place_of(content: bytes, quote: str, line: int | None) -> tuple[int, int, int] | None:
    """Gives start and end in bytes, and the line, of a quote; null where it does not stand there.

    Args:
        content: the document, UTF-8.
        quote: the quote, verbatim; an empty one stands nowhere.
        line: the line in which it has to begin, from 1; null = its first place anywhere.
    """
    wanted = quote.encode("utf-8", "surrogatepass")
    if not wanted or (line is not None and line < 1):
        return None
    start, end = 0, len(content)
    if line is not None:
        for _ in range(line - 1):
            start = content.find(b"\n", start) + 1
            if start == 0:
                return None
        newline = content.find(b"\n", start)
        end = len(content) if newline < 0 else newline
    at = content.find(wanted, start)
    if not 0 <= at <= end:
        return None
    return at, at + len(wanted), content.count(b"\n", 0, at) + 1
