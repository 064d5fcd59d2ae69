"""What `plan` and `seal` do with a rating study."""

from dataclasses import asdict
from pathlib import Path

import click
from msgspec import to_builtins

from equipoise.cli.clock import now
from equipoise.cli.screen import write, write_json
from equipoise.errors import as_word
from equipoise.pipeline.sealing import write_promise
from equipoise.records.codec import pretty
from equipoise.records.counted import counted
from equipoise.stages.plan.rating_page import told_axis
from equipoise.studies.rating.judging_planned import JudgeTakes, judges_take
from equipoise.studies.rating.planning import RATING_PAGE, plan_rating
from equipoise.wiring.judges import price


def run_plan(study: Path, *, as_json: bool) -> None:
    """Plans the study, writes what it promises, and tells of it."""
    planned = plan_rating(study)
    takes = judges_take(study, planned, price, now().date())
    write_promise(study, planned.promise)
    outlook = planned.outlook
    if as_json:
        shown = to_builtins(outlook) | ({"judges": [asdict(one) for one in takes]} if takes else {})
        write_json(pretty(shown).decode())
        return
    lines = [f"plan {outlook.plan_sha256}", f"  {outlook.title}"]
    lines += [f"  {told_axis(one)}" for one in outlook.axes]
    lines += [
        f"  {one.annotator}: {counted(one.n, 'set')} "
        f"({', '.join(f'{n} {k}' for k, n in one.kinds.items())})"
        for one in outlook.lists
    ]
    if outlook.checks:
        lines.append(f"  {outlook.checks}")
    lines += [f"  {_judge(one)}" for one in takes]
    if outlook.doubts:
        lines.append("why it might not decide")
        lines += [f"  - {doubt}" for doubt in outlook.doubts]
    lines += [f"note: {remark}" for remark in outlook.remarks]
    lines += outlook.legal
    write("".join(f"{line}\n" for line in lines))
    click.echo(f"next: read {study / RATING_PAGE}, then equipoise seal {as_word(study)}")


def _judge(takes: JudgeTakes) -> str:
    money = "price unknown" if takes.usd is None else f"at most {takes.usd:,.2f} US dollars"
    return (
        f"judge {takes.judge} ({takes.model}): {counted(takes.n_questions, 'question')}, together "
        f"{counted(takes.n_input, 'token')}; up to {counted(takes.n_retries, 'question')} more "
        f"where answers cannot be read; {money}"
    )
