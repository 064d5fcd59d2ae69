"""The SQL that turns chained lines into columns: one row per trial, one row per quote."""

from string import Template

_TRIAL = (
    "STRUCT(id VARCHAR, unit VARCHAR, arm VARCHAR, model VARCHAR, model_answered VARCHAR, "
    "repetition INTEGER, attempt INTEGER, "
    "ending STRUCT(kind VARCHAR, fault VARCHAR, detail VARCHAR), "
    "labels MAP(VARCHAR, VARCHAR), cluster VARCHAR, "
    "usage STRUCT(input_tokens BIGINT, cache_read_tokens BIGINT, cache_write_tokens BIGINT, "
    "output_tokens BIGINT), cost_usd DOUBLE, duration_ms DOUBLE, stop_reason VARCHAR, "
    "versions MAP(VARCHAR, VARCHAR), is_simulated BOOLEAN, source VARCHAR)"
)
_GRADE = (
    "STRUCT(trial VARCHAR, criterion VARCHAR, value DOUBLE, not_evaluable VARCHAR, how VARCHAR, "
    "round BIGINT, "
    'evidence STRUCT(document VARCHAR, start BIGINT, "end" BIGINT, quote VARCHAR, name VARCHAR, '
    "line BIGINT)[])"
)


def fill(template: str, **parts: str) -> str:
    """Puts SQL parts, made with `literal`, `name` or `rows`, into the places of a template."""
    return Template(template).substitute(parts)


def literal(text: str) -> str:
    """Gives the text as an SQL string."""
    return "'" + text.replace("'", "''") + "'"


def name(text: str) -> str:
    """Gives the text as an SQL name."""
    return '"' + text.replace('"', '""') + '"'


def rows(table: str, path: str) -> str:
    """Gives the table function that reads the lines of a chained file."""
    columns = f"{{'seq': 'BIGINT', 'body': {literal(_STRUCTS[table])}}}"
    return (
        f"read_json({literal(path)}, format = 'newline_delimited', columns = {columns}, "
        "maximum_object_size = 16777216)"
    )


_STRUCTS = {"trials": _TRIAL, "grades": _GRADE}

LOAD = {
    "trials": "CREATE TABLE trials AS SELECT seq, unnest(body) FROM $rows",
    "grades": (
        "CREATE TABLE grades AS SELECT seq, body.trial AS trial, "
        "coalesce(body.criterion, 'outcome') AS criterion, body.value AS value, "
        "nullif(body.not_evaluable, '') AS reason, coalesce(body.how, 'measured') AS how, "
        "coalesce(body.round, 0) AS round, body.evidence AS evidence FROM $rows"
    ),
}
"""Loads a chained file into a table; fields left out because they have their default are null."""

LAST_ROUND = (
    "DELETE FROM grades USING (SELECT trial AS t, criterion AS c, max(round) AS last FROM grades "
    "WHERE round > 0 GROUP BY 1, 2) later WHERE trial = later.t AND criterion = later.c "
    "AND round < later.last"
)
"""A grade of a later round takes the place of those before it."""

LABEL_KEYS = "SELECT DISTINCT unnest(map_keys(labels)) AS key FROM trials ORDER BY key"
LABEL_COUNTS = (
    "SELECT entry.key, count(DISTINCT entry.value) FROM "
    "(SELECT unnest(map_entries(labels)) AS entry FROM trials) GROUP BY 1 ORDER BY 1"
)
CRITERIA = "SELECT DISTINCT criterion FROM grades ORDER BY 1"
FIRST_GRADES = (
    "CREATE TABLE first_grades AS SELECT trial, criterion, "
    "arg_min(struct_pack(value := value, reason := reason, how := how), seq) AS kept "
    "FROM grades GROUP BY trial, criterion"
)
"""Of several grades of a trial under one criterion the first counts."""

EVIDENCE_ROWS = (
    "SELECT trial, criterion, e.document AS document, coalesce(e.name, '') AS name, "
    'e.line AS line, e.start AS start, e."end" AS "end", e.quote AS quote '
    "FROM (SELECT seq, trial, criterion, unnest(evidence) AS e, "
    "generate_subscripts(evidence, 1) AS place FROM grades) ORDER BY trial, criterion, seq, place"
)
WRITE = "COPY ($query) TO $file (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE 122880)"
FACTS = (
    "SELECT count(*), list_sort(list(DISTINCT arm)), max(coalesce(repetition, 1)), "
    "max(coalesce(attempt, 1)), count(cluster) > 0, count(*) FILTER (is_simulated), "
    "(SELECT count(*) FROM grades) - (SELECT count(*) FROM first_grades), "
    "(SELECT count(*) FROM first_grades WHERE trial NOT IN (SELECT id FROM trials)) FROM trials"
)

DIFFERENT = (
    "SELECT count(*) FROM (SELECT file_row_number AS n, to_json(whole) AS line FROM "
    "read_parquet($one, file_row_number = true) whole) a FULL JOIN "
    "(SELECT file_row_number AS n, to_json(whole) AS line FROM "
    "read_parquet($other, file_row_number = true) whole) b ON a.n = b.n "
    "WHERE a.line IS DISTINCT FROM b.line"
)

_FIXED = """SELECT t.id AS trial, t.unit, t.arm, t.model,
coalesce(t.repetition, 1)::INTEGER AS repetition, coalesce(t.attempt, 1)::INTEGER AS attempt,
coalesce(t.ending.kind, 'completed') AS ending, coalesce(t.ending.fault, 'none') AS fault,
coalesce(t.ending.detail, '') AS detail, coalesce(t.is_simulated, false) AS is_simulated,
t.cluster, t.cost_usd, t.duration_ms,
list_sum([t.usage.input_tokens, t.usage.cache_read_tokens, t.usage.cache_write_tokens,
t.usage.output_tokens])::BIGINT AS tokens,
t.stop_reason, t.model_answered, coalesce(t.source, '') AS source,
CASE WHEN cardinality(t.versions) > 0 THEN to_json(t.versions)::VARCHAR END AS versions"""

_CARRIES = "coalesce(t.ending.kind, 'completed') IN ('completed', 'budget', 'refused')"


def results_query(labels: list[str], criteria: list[str]) -> str:
    """Gives the query for `results.parquet` with these label keys and criteria."""
    columns = [_FIXED]
    columns += [f"t.labels[{literal(key)}] AS {name('label:' + key)}" for key in labels]
    columns += [_graded(f"g.kept{n}", criterion) for n, criterion in enumerate(criteria)]
    kept = [
        f"any_value(kept) FILTER (criterion = {literal(criterion)}) AS kept{n}"
        for n, criterion in enumerate(criteria)
    ]
    grades = fill(_GRADES_OF_TRIALS, kept=", ".join(kept)) if kept else ""
    order = "ORDER BY t.unit, t.arm, repetition, attempt, t.id"
    return "\n".join([",\n".join(columns), "FROM trials t", grades, order])


_GRADES_OF_TRIALS = (
    "LEFT JOIN (SELECT trial, $kept FROM first_grades GROUP BY trial) g ON g.trial = t.id"
)


def _graded(grade: str, criterion: str) -> str:
    value = f"CASE WHEN {_CARRIES} THEN {grade}.value END"
    kind = "coalesce(t.ending.kind, 'completed')"
    why = (
        f"CASE WHEN ({value}) IS NOT NULL THEN NULL WHEN {grade}.reason <> '' THEN {grade}.reason "
        f"WHEN {kind} NOT IN ('completed', 'budget') THEN {kind} ELSE 'no grade' END"
    )
    return (
        f"{value} AS {name('value:' + criterion)}, {why} AS {name('why:' + criterion)}, "
        f"{grade}.how AS {name('how:' + criterion)}"
    )
