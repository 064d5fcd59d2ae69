"""What `plan` and `seal` do with a rating study."""

from pathlib import Path

import click

from equipoise.cli.screen import write, write_json
from equipoise.pipeline.sealing import write_promise
from equipoise.records.codec import pretty
from equipoise.stages.plan.rating_page import told_axis
from equipoise.studies.rating.planning import RATING_PAGE, plan_rating


def run_plan(study: Path, *, as_json: bool) -> None:
    """Plans the study, writes what it promises, and tells of it."""
    planned = plan_rating(study)
    write_promise(study, planned.promise)
    outlook = planned.outlook
    if as_json:
        write_json(pretty(outlook).decode())
        return
    lines = [f"plan {outlook.plan_sha256}", f"  {outlook.title}"]
    lines += [f"  {told_axis(one)}" for one in outlook.axes]
    lines += [
        f"  {one.annotator}: {one.n:,} sets ({', '.join(f'{n} {k}' for k, n in one.kinds.items())})"
        for one in outlook.lists
    ]
    if outlook.checks:
        lines.append(f"  {outlook.checks}")
    if outlook.doubts:
        lines.append("why it might not decide")
        lines += [f"  - {doubt}" for doubt in outlook.doubts]
    lines += [f"note: {remark}" for remark in outlook.remarks]
    lines += outlook.legal
    write("".join(f"{line}\n" for line in lines))
    click.echo(f"next: read {study / RATING_PAGE}, then equipoise seal {study}")
