"""The sha256 of what a PostgreSQL database says: its schema, its rows and its sequences."""

import hashlib
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import msgspec

from equipoise.adapters.state.postgres_settings import ABOUT

if TYPE_CHECKING:
    from psycopg import Connection, Cursor

_STEADY = """
SET search_path = pg_catalog; SET datestyle = 'ISO, YMD'; SET timezone = 'UTC';
SET intervalstyle = 'iso_8601'; SET extra_float_digits = 3; SET bytea_output = 'hex';
SET row_security = off; SET default_transaction_isolation = 'repeatable read';
SET default_transaction_read_only = on; SET lc_monetary = 'C'; SET xmloption = 'content'
"""
_OURS = r"""nspname NOT IN ('pg_catalog', 'information_schema')
    AND nspname NOT LIKE 'pg\_temp%' AND nspname NOT LIKE 'pg\_toast%'"""

_SCHEMA = (
    """SELECT nspname, nspowner::regrole::text, nspacl::text FROM pg_namespace WHERE $OURS
        ORDER BY 1""",
    """SELECT c.oid::regclass::text, c.relkind::text, c.relowner::regrole::text, c.relacl::text,
        c.relpersistence::text, c.relrowsecurity, c.relforcerowsecurity, c.reloptions,
        CASE WHEN c.relkind IN ('v', 'm') THEN pg_get_viewdef(c.oid) END,
        pg_get_partkeydef(c.oid), pg_get_expr(c.relpartbound, c.oid),
        obj_description(c.oid, 'pg_class')
        FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE $OURS ORDER BY 1""",
    """SELECT c.oid::regclass::text, a.attnum, a.attname, format_type(a.atttypid, a.atttypmod),
        a.attnotnull, a.attidentity::text, a.attgenerated::text, a.attcollation::regcollation::text,
        pg_get_expr(d.adbin, d.adrelid), a.attacl::text, col_description(c.oid, a.attnum)
        FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
        JOIN pg_namespace n ON n.oid = c.relnamespace
        LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
        WHERE a.attnum > 0 AND NOT a.attisdropped AND $OURS ORDER BY 1, 2""",
    """SELECT conrelid::regclass::text, contypid::regtype::text, conname,
        pg_get_constraintdef(k.oid) FROM pg_constraint k
        JOIN pg_namespace n ON n.oid = k.connamespace WHERE $OURS ORDER BY 1, 2, 3""",
    """SELECT indexrelid::regclass::text, pg_get_indexdef(indexrelid), indisvalid FROM pg_index i
        JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_namespace n ON n.oid = c.relnamespace
        WHERE $OURS ORDER BY 1""",
    """SELECT p.oid::regprocedure::text, p.proowner::regrole::text, p.proacl::text,
        p.prokind::text, CASE WHEN p.prokind <> 'a' THEN pg_get_functiondef(p.oid) END
        FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace WHERE $OURS ORDER BY 1""",
    """SELECT tgrelid::regclass::text, tgname, tgenabled::text, pg_get_triggerdef(oid)
        FROM pg_trigger WHERE NOT tgisinternal ORDER BY 1, 2""",
    """SELECT t.oid::regtype::text, t.typtype::text, format_type(t.typbasetype, t.typtypmod),
        t.typdefault, t.typnotnull,
        ARRAY(SELECT e.enumlabel::text FROM pg_enum e WHERE e.enumtypid = t.oid
              ORDER BY e.enumsortorder)
        FROM pg_type t JOIN pg_namespace n ON n.oid = t.typnamespace WHERE $OURS ORDER BY 1""",
    "SELECT extname::text, extversion FROM pg_extension ORDER BY 1",
    """SELECT polrelid::regclass::text, polname, polcmd::text, polpermissive,
        ARRAY(SELECT r::regrole::text FROM unnest(polroles) r ORDER BY 1),
        pg_get_expr(polqual, polrelid), pg_get_expr(polwithcheck, polrelid)
        FROM pg_policy ORDER BY 1, 2""",
    """SELECT ev_class::regclass::text, rulename, pg_get_ruledef(oid) FROM pg_rewrite
        WHERE ev_class::regclass::text NOT LIKE 'information_schema.%' AND oid >= 16384
        ORDER BY 1, 2""",
    """SELECT schemaname, sequencename, data_type::text, start_value, min_value, max_value,
        increment_by, cycle, cache_size, last_value FROM pg_sequences
        JOIN pg_namespace ON nspname = schemaname WHERE $OURS ORDER BY 1, 2""",
)
_TABLES = """
SELECT c.oid::regclass::text,
       (SELECT string_agg(quote_ident(a.attname), ', ' ORDER BY array_position(k.conkey, a.attnum))
        FROM pg_constraint k JOIN pg_attribute a
          ON a.attrelid = k.conrelid AND a.attnum = ANY (k.conkey)
        WHERE k.conrelid = c.oid AND k.contype = 'p')
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'm') AND $OURS AND (c.relkind = 'r' OR c.relispopulated)
ORDER BY 1
"""
_LARGE_OBJECTS = """
COPY (SELECT oid, sha256(lo_get(oid)) FROM pg_largeobject_metadata ORDER BY oid) TO STDOUT
"""


def digest(connection: "Connection[Any]") -> str:
    """Gives the sha256 over schema, rows, sequences, large objects, and what is said about it.

    Rows are taken by primary key, or by what they say where there is none, so their place on disk
    does not count. Everything is read as of one moment, as a stream.
    """
    hasher = hashlib.sha256()
    for setting in _STEADY.split(";"):
        connection.execute(setting.strip().encode())
    with connection.transaction():
        for part in _parts(connection):
            hasher.update(part)
    return hasher.hexdigest()


def _parts(connection: "Connection[Any]") -> Iterator[bytes]:
    about = connection.execute(ABOUT, (connection.info.dbname,))
    yield msgspec.json.encode(about.fetchall())
    for query in _SCHEMA:
        yield msgspec.json.encode(_asked(connection, query).fetchall(), enc_hook=str)
    for table, key in _asked(connection, _TABLES).fetchall():
        yield msgspec.json.encode([table])
        rows = "COPY (SELECT * FROM ONLY $TABLE the_row ORDER BY $ORDER) TO STDOUT"
        order = key or 'the_row::text COLLATE "C"'
        yield from _copied(connection, rows.replace("$ORDER", order).replace("$TABLE", table))
    yield from _copied(connection, _LARGE_OBJECTS)


def _asked(connection: "Connection[Any]", query: str) -> "Cursor[Any]":
    return connection.execute(query.replace("$OURS", _OURS).encode())


def _copied(connection: "Connection[Any]", statement: str) -> Iterator[bytes]:
    with connection.cursor() as cursor, cursor.copy(statement.encode()) as copy:
        for block in copy:
            yield bytes(block)
