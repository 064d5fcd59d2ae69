"""Parameters in a query, ``:trial`` or ``:brief.order.id``, as a database wants them bound."""

import re

_TOKENS = re.compile(
    r"""'(?:[^']|'')*'            # text
    | "(?:[^"]|"")*"              # a quoted name
    | --[^\n]*                    # a comment to the end of the line
    | /\*.*?\*/                   # a comment
    | \$(?P<tag>\w*)\$.*?\$(?P=tag)\$   # text between dollars
    | ::                          # a cast
    | :(?P<name>[A-Za-z_]\w*(?:\.\w+)*) # a parameter
    """,
    re.VERBOSE | re.DOTALL,
)


def names_in(query: str) -> list[str]:
    """Gives the names of the parameters in a query, each once, in order."""
    found = [match["name"] for match in _TOKENS.finditer(query) if match["name"]]
    return list(dict.fromkeys(found))


def for_sqlite(query: str) -> str:
    """Gives the query with parameters as SQLite wants them, ``:p0``, in the order of the names."""
    names = names_in(query)
    return _TOKENS.sub(
        lambda match: f":p{names.index(match['name'])}" if match["name"] else match[0], query
    )


def for_postgres(query: str) -> str:
    """Gives the query with parameters as psycopg wants them, ``%(p0)s``; ``%`` is doubled."""
    names = names_in(query)
    parts, end = [], 0
    for match in _TOKENS.finditer(query):
        parts.append(query[end : match.start()].replace("%", "%%"))
        name = match["name"]
        parts.append(f"%(p{names.index(name)})s" if name else match[0].replace("%", "%%"))
        end = match.end()
    parts.append(query[end:].replace("%", "%%"))
    return "".join(parts)
