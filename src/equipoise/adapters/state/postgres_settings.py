"""What belongs to a database and is not in it: owner, rights, settings, comment, limit."""

from typing import TYPE_CHECKING, Any, LiteralString

if TYPE_CHECKING:
    from psycopg import Connection

ABOUT = """
SELECT r.rolname,
       d.datconnlimit,
       d.datacl IS NULL,
       ARRAY(SELECT concat_ws(' ', a.grantee::regrole::text, a.privilege_type, a.is_grantable)
             FROM aclexplode(d.datacl) a ORDER BY 1),
       shobj_description(d.oid, 'pg_database'),
       ARRAY(SELECT coalesce(s.setrole::regrole::text, '') || ' ' || c
             FROM pg_db_role_setting s, unnest(s.setconfig) c
             WHERE s.setdatabase = d.oid ORDER BY 1)
FROM pg_database d JOIN pg_roles r ON r.oid = d.datdba WHERE d.datname = %s
"""
"""What is said about the database of this name, as one row."""

_RIGHTS = """
SELECT coalesce(r.rolname, ''), a.privilege_type, a.is_grantable
FROM pg_database d, aclexplode(d.datacl) a LEFT JOIN pg_roles r ON r.oid = a.grantee
WHERE d.datname = %s ORDER BY 1, 2
"""
_SETTINGS = """
SELECT coalesce(r.rolname, ''), c
FROM pg_database d JOIN pg_db_role_setting s ON s.setdatabase = d.oid
CROSS JOIN LATERAL unnest(s.setconfig) c LEFT JOIN pg_roles r ON r.oid = s.setrole
WHERE d.datname = %s ORDER BY 1, 2
"""


def copy_settings(server: "Connection[Any]", source: str, target: str) -> None:
    """Gives a new database what is said about another one; a template does not take it along."""
    from psycopg import sql  # noqa: PLC0415  an optional package

    about = server.execute(ABOUT, (source,)).fetchone()
    assert about is not None, "it was copied a moment ago"
    owner, limit, has_usual_rights, _, comment, _ = about
    name = sql.Identifier(target)

    def do(text: LiteralString, *parts: sql.Composable) -> None:
        server.execute(sql.SQL(text).format(name, *parts))

    do("ALTER DATABASE {} OWNER TO {}", sql.Identifier(owner))
    if not has_usual_rights:
        do("REVOKE ALL ON DATABASE {} FROM PUBLIC, {}", sql.Identifier(owner))
        for role, right, is_grantable in server.execute(_RIGHTS, (source,)).fetchall():
            do(
                "GRANT {1} ON DATABASE {0} TO {2}{3}",
                sql.SQL(right),
                sql.Identifier(role) if role else sql.SQL("PUBLIC"),
                sql.SQL(" WITH GRANT OPTION" if is_grantable else ""),
            )
    for role, setting in server.execute(_SETTINGS, (source,)).fetchall():
        key, _, value = setting.partition("=")
        if role:
            do(
                "ALTER ROLE {2} IN DATABASE {0} SET {1} TO {3}",
                sql.Identifier(key),
                sql.Identifier(role),
                sql.Literal(value),
            )
        else:
            do("ALTER DATABASE {} SET {} TO {}", sql.Identifier(key), sql.Literal(value))
    if comment is not None:
        do("COMMENT ON DATABASE {} IS {}", sql.Literal(comment))
    if limit != -1:
        do("ALTER DATABASE {} CONNECTION LIMIT {}", sql.Literal(limit))
