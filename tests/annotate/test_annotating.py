"""People judge sets in their browsers, and nothing that was acknowledged is ever lost."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from annotate.campaigns import DOC, WORDS, Made, campaign, form_of, inside, packet, served, started
from annotate.conftest import Visit
from equipoise.records.answer import AnswerKind, standing


@pytest.fixture(scope="module", params=["sqlite", pytest.param("postgres", marks=pytest.mark.slow)])
def new_database(request: pytest.FixtureRequest) -> Callable[[], str]:
    """Gives what makes a place for answers: empty for the campaign's own file."""
    if request.param == "sqlite":
        return str
    cluster = request.getfixturevalue("cluster")
    return lambda: str(cluster.address(cluster.database()))


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory, new_database: Callable[[], str]) -> Made:
    ann = [packet("practice"), packet("loud"), packet("a", lang="ru"), packet("pair", "one", "two")]
    ann += [packet("silent"), packet("doc", lang="ar", docs=(DOC,))]
    bob = [packet("b", *reversed(WORDS["ru"]), lang="ru"), packet("b2", *WORDS["zh"], lang="zh")]
    checks = {
        "p-practice": {"kind": "tutorial", "best": 0, "worst": 3, "warning": "One is complete."},
        "p-loud": {"kind": "loud", "worst": 3, "warning": "Four is cut short."},
        "p-silent": {"kind": "silent", "worst": 3},
    }
    rule = {"n_silent": 1, "need": 1}
    cy = [packet("c"), packet("c2")]
    study = tmp_path_factory.mktemp("study")
    made = campaign(study, {"ann": ann, "bob": bob, "cy": cy}, checks, rule)
    made.database = new_database()
    return made


def codes_of(board: str, who: str) -> list[str]:
    row = board.split(f"<bdi>{who}</bdi>")[2].split("</tr>", maxsplit=1)[0]
    return re.findall(r"<code>(.*?)</code>", row)


@pytest.fixture(scope="module")
def address(made: Made) -> Iterator[str]:
    with served(made.study, *made.options) as told:
        yield told


@pytest.mark.requirement("PIL-22")
@pytest.mark.requirement("PIL-32")
@pytest.mark.requirement("PIL-69")
@pytest.mark.requirement("PIL-70")
def test_a_whole_list_without_script(made: Made, address: str, visit: Visit) -> None:
    ann = visit(address, made.path("ann"))
    assert "You will see 6 sets" in ann.page("")
    same = ann.answer(2, 2)
    assert same.status_code == 400
    assert "cannot be both the best and the worst" in same.text
    assert "One is complete." in ann.answer(1, 3).text
    right = ann.answer(0, 3).text
    assert "Right: that is how" in right
    assert "Four is cut short." in ann.answer(0, 1).text
    assert "Set 2 of 6" in ann.page()
    assert "Four is cut short." not in ann.answer(0, 3).text
    pressed = ann.post("draft", form_of(ann.page()), pick="best:1").text
    pressed = ann.post("draft", form_of(pressed), pick="worst:1").text
    assert form_of(pressed)["best"] == ""
    assert pressed.count('aria-pressed="true"') == 1
    pair = ann.answer(0, 2)
    assert "Choose the better text" in pair.text
    assert ann.post("answer", form_of(pair.text)).status_code == 400
    assert "Set 5 of 6" in ann.post("answer", form_of(pair.text), best="1").text
    back = ann.undo().text
    assert "Set 4 of 6" in back
    assert form_of(back)["best"] == "1"
    silent = ann.post("answer", form_of(back), best="0").text
    last = ann.post("answer", form_of(silent), best="0", worst="1").text
    assert 'role="alert" id="says" hidden' in last
    assert last.count('role="alert"') == 1
    assert 'lang="ja"' in last
    assert last.count('dir="rtl" lang="ar"') == 4
    finished = ann.post("answer", form_of(last), act="skip").text
    assert "All 6 sets are done" in finished
    done = ann.post("guess", form_of(finished, "guess"), guess="machines", words="a house style")
    assert done.url.path.endswith("/done")
    assert "Your answer 4 of 6" in ann.page("/review/4")
    board = visit(address, made.path("")).page("")
    code = done.text.split('id="code">')[1].split("<")[0]
    assert "<td>failed</td>" in board
    assert "Machines (1)" in board
    assert "a house style" not in board
    assert codes_of(board, "ann")[1] == code
    assert "1 of 1 (1 wrong try)</td>\n<td>0 of 1 (1 wrong try)</td>\n<td>0 of 1</td>" in board
    mine = [one for one in made.kept() if one.annotator == "ann"]
    kinds = [one.kind.value for one in mine]
    assert kinds == [*["given"] * 6, "undone", "given", "given", "skipped", "guessed"]
    assert [one.seq for one in mine] == sorted(one.seq for one in mine)
    assert [one.attempt for one in mine[:4]] == [1, 2, 1, 2]
    assert mine[-1].guess == "machines: a house style"
    held = standing(mine)
    assert (held["ann", "p-pair"].best, held["ann", "p-pair"].worst) == (0, 1)


@pytest.mark.requirement("PIL-26")
def test_axes_are_asked_apart(tmp_path: Path, visit: Visit) -> None:
    style = packet("s1"), packet("s2", *reversed(WORDS["en"]))
    fidelity = packet("f", axis="fidelity", ask="Which says what the source says?", docs=(DOC,))
    lists = {"ann": [style[0], fidelity], "bob": [style[1]]}
    made = campaign(tmp_path / "s", lists)
    with inside(made.study) as address:
        ann, bob = (visit(address, made.path(who)) for who in ("ann", "bob"))
        first = ann.page()
        assert "Which reads best?" in first
        assert DOC.text not in first
        second = ann.answer(0, 3).text
        assert "Which says what the source says?" in second
        assert DOC.text in second
        ann.answer(0, 3)
        bob.answer(3, 0)
        board = visit(address, made.path("")).page("")
    agreed = re.sub(r"<[^>]*>|\s+", " ", board.split("<h2>Agreement")[1])
    one, _, other = agreed.partition("style")
    assert "fidelity" in one
    assert "1 set judged, 0 of them by two or more" in one
    assert "1 of them by two or more" in other
    assert "100 %" in other


def test_the_end_is_the_end(made: Made, address: str, visit: Visit) -> None:
    bob = visit(address, made.path("bob"))
    first = form_of(bob.page())
    bob.answer(0, 1)
    finished = bob.answer(1, 2).text
    undo, guess = form_of(finished, "undo"), form_of(finished, "guess")
    assert "All 2 sets are done" in bob.page("/done")
    assert bob.post("guess", guess, guess="people").url.path.endswith("/done")
    n = len(made.kept())
    for act, form in (("undo", undo), ("guess", guess), ("answer", first)):
        bob.post(act, form, best="3", worst="2")
    assert len(made.kept()) == n


def test_two_devices_and_an_answer_sent_twice(made: Made, address: str, visit: Visit) -> None:
    phone, desk = (visit(address, made.path("cy")) for _ in range(2))
    form = form_of(phone.page())
    assert "Set 2 of 2" in phone.post("answer", form, best="0", worst="1").text
    assert "Set 2 of 2" in phone.post("answer", form, best="0", worst="1").text
    late = desk.post("answer", form, best="1", worst="0")
    assert late.status_code == 409
    assert "answered already" in late.text
    assert "Set 2 of 2" in late.text
    assert desk.post("draft", form, pick="best:1").status_code == 409
    mine = [one for one in made.kept() if one.annotator == "cy"]
    assert [(one.best, one.worst) for one in mine] == [(0, 1)]


def test_a_killed_server_goes_on_where_each_one_was(
    tmp_path: Path, new_database: Callable[[], str], visit: Visit
) -> None:
    made = campaign(tmp_path / "s", {"ann": [packet(str(n)) for n in range(3)]})
    made.database = new_database()
    server, address = started(made.study, *made.options, "--port", "0")
    ann = visit(address, made.path("ann"))
    ann.answer(0, 1)
    form = form_of(ann.post("draft", form_of(ann.page()), pick="best:2").text)
    server.kill()
    server.communicate()
    with served(made.study, *made.options, "--port", address.rpartition(":")[2]) as again:
        assert again == address
        other = visit(again, made.path("ann"))
        assert "Set 2 of 3" in other.page()
        assert form_of(other.page())["best"] == "2"
        assert "Set 3 of 3" in other.post("answer", form, worst="0").text
    kept = made.kept()
    assert [(one.kind, one.best, one.worst) for one in kept] == [
        (AnswerKind.GIVEN, 0, 1),
        (AnswerKind.GIVEN, 2, 0),
    ]
