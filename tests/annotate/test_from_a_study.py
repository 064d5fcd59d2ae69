"""A campaign that `annotate make` made of a sealed study tells nobody whose is whose."""

import re
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner

from annotate.campaigns import Person, form_of, inside
from annotate.conftest import Visit
from equipoise.cli import commands
from equipoise.records.packet import PacketKey
from equipoise.records.rating_plan import RatingPlan


def _page_of(person: Person, keys: dict[str, PacketKey], plan: RatingPlan) -> str:
    """Answers the set that is shown as the plan says a careful reader does; gives the next page."""
    form = form_of(person.page())
    key = keys[form["packet"]]
    sets = {one.id: one for one in plan.sets}
    worst = key.arms.index(sets[key.set].worst or key.arms[-1])
    best = key.arms.index(sets[key.set].best or key.arms[worst - 1])
    return person.post("answer", form, best=str(best), worst=str(worst)).text


@pytest.mark.requirement("PIL-25")
@pytest.mark.requirement("PIL-32")
def test_from_outputs_to_archived_answers(tmp_path: Path, visit: Visit) -> None:
    study, told = tmp_path / "study", {}
    for verb in (["init", "rating"], ["plan"], ["seal"], ["annotate", "make"]):
        done = CliRunner().invoke(commands, [*verb, str(study)])
        assert done.exit_code == 0, done.output
        told[verb[-1]] = done.output
    links = dict(re.findall(r"(\w+): (/[ad]/\S+)", told["make"]))
    plan = msgspec.json.decode(study.joinpath("plan.json").read_bytes(), type=RatingPlan)
    lines = study.joinpath("campaign", "keys.jsonl").read_bytes().splitlines()
    read = [msgspec.json.decode(line, type=PacketKey) for line in lines]
    keys = {key.packet: key for key in read}
    who = next(one.name for one in plan.annotators)
    pages = []
    with inside(study) as address:
        person = visit(address, links[who])
        while 'id="set"' in (page := person.page()):
            pages += [page, _page_of(person, keys, plan)]
        done_page = person.post("guess", form_of(page, "guess"), guess="unknown")
        assert done_page.url.path.endswith("/done")
        pages += [
            done_page.text,
            person.page("/review/1"),
            visit(address, links["dashboard"]).page(""),
        ]
    n = len(pages) // 2 - 1
    assert n > 10
    secret = {*plan.arms, *(one.id for one in plan.sets), *(one.unit for one in plan.sets)}
    words = {word for page in pages for word in re.split(r"[^\w-]+", page.replace("/draft", ""))}
    found = secret & words
    assert found == set()
    assert "practice set is answered" in "".join(pages)
    assert "is the worst" not in "".join(pages)
    collected = CliRunner().invoke(commands, ["annotate", "collect", str(study)])
    assert collected.exit_code == 0, collected.output
    assert f"{n + 1} new" in collected.output
