"""What tests can do with a program in another process, written as tests usually are."""

from datetime import UTC, datetime
from pathlib import Path

import anyio
import pytest

from equipoise.adapters.sandboxes.unmounted import PlainProcess
from equipoise.adapters.suites.hidden import opened
from equipoise.adapters.suites.hidden_tests import HiddenTests, expected_by
from equipoise.adapters.workspaces.recipe import Commit
from equipoise.adapters.workspaces.store import SeedStore
from equipoise.errors import InputError
from equipoise.records.suite_run import SuiteRun, SuiteStatus, TestOutcome

_PROGRAM = """
import collections, dataclasses, datetime, decimal, enum, sys
from contextlib import contextmanager

class Colour(enum.IntEnum):
    RED = 1

@dataclasses.dataclass(order=True)
class Money:
    amount: int
    def __add__(self, other): return Money(self.amount + getattr(other, "amount", other))
    def __len__(self): return self.amount
    def __float__(self): return float(self.amount)

class BadPrice(ValueError):
    def __init__(self, text, code=3):
        super().__init__(text)
        self.code = code

class Shelf:
    limit = 2
    def __init__(self): self.things = {}
    def __setitem__(self, key, value): self.things[key] = value
    def __getitem__(self, key): return self.things[key]
    def __contains__(self, key): return key in self.things
    def __iter__(self): return iter(self.things)
    def __enter__(self): return self
    def __exit__(self, kind, error, trace):
        self.error = error
        return isinstance(error, BadPrice)

Point = collections.namedtuple("Point", "x y")
def total(prices): return sum(prices)
def check(price):
    if price < 0: raise BadPrice("negative")
    print("fine", price)
    print("warned", file=sys.stderr)
    return price
def sort(xs): xs.sort(); return xs
def each(f, xs):
    for x in xs: yield f(x)
def read(file): return file.read().upper()
def write(path): path.write_text("written"); return path
def tell(listener): listener.hear("news"); return listener.heard
def leave(): sys.exit(3)
def now(): return "now"
def when(): return now()
def plain(): return [None, True, 2**70, -0.5, "ü\\ud800", b"\\0",
    (1, [2]), {"a": {1}}, frozenset({2}),
    decimal.Decimal("1.10"), datetime.date(2026, 1, 2), float("inf"), bytearray(b"x"), 1j]
def point(): return Point(1, 2)
def counts(): return collections.Counter("aab")
def escape(f):
    found = []
    for name in ("__globals__", "__code__", "__closure__", "gi_frame", "func_globals", "__self__",
                 "__class__", "__reduce__"):
        try: found.append(name + str(getattr(f, name)))
        except AttributeError: pass
    return [x for x in found if "Visitor" not in x]
"""

# Tests of somebody else: that they may patch the program, from another process, is tested here.
_TESTS = """
import datetime, decimal, io
import pytest
import shop.goods as goods
from shop.goods import *
from shop.goods import BadPrice, Colour, Money, Shelf
import shop

class Listener:
    def __init__(self): self.heard = []
    def hear(self, word): self.heard.append(word)

@pytest.fixture
def shelf(): return Shelf()

def test_plain_values_keep_their_types():
    got = goods.plain()
    wanted = [None, True, 2**70, -0.5, "ü\\ud800", b"\\0",
    (1, [2]), {"a": {1}}, frozenset({2}),
        decimal.Decimal("1.10"), datetime.date(2026, 1, 2), float("inf"), bytearray(b"x"), 1j]
    assert got == wanted and [type(x) for x in got] == [type(x) for x in wanted]
def test_objects():
    assert Money(1) + Money(2) == Money(3) and Money(1) != Money(2) and Money(1) < Money(2)
    assert (Money(1) + 4).amount == 5 and len(Money(3)) == 3 and isinstance(Money(1), Money)
    assert not isinstance(3, Money) and repr(Money(1)) == "Money(amount=1)"
    assert Money(3) > 2 and sorted([Money(2), Money(1)])[0].amount == 1 and float(Money(2)) == 2
def test_subclasses_of_plain_types():
    assert Colour.RED == 1 and goods.point() == (1, 2) and goods.counts() == {"a": 2, "b": 1}
    x, y = goods.point()
    assert (x, y) == (1, 2) and goods.point().x == 1 and "a" in goods.counts()
def test_exceptions():
    with pytest.raises(BadPrice, match="negative") as caught: goods.check(-1)
    assert caught.value.code == 3 and isinstance(caught.value, ValueError)
    with pytest.raises(ValueError): goods.check(-1)
    with pytest.raises(TypeError): goods.total(3)
    with pytest.raises(AttributeError): goods.nothing
    with pytest.raises(SystemExit) as left: goods.leave()
    assert left.value.code == 3
def test_printing(capsys):
    goods.check(4)
    assert capsys.readouterr() == ("fine 4\\n", "warned\\n")
def test_in_place():
    xs = [3, 1]
    assert goods.sort(xs) == [1, 3] and xs == [1, 3]
def test_functions_and_iterators():
    assert list(goods.each(lambda x: x + 1, [1, 2])) == [2, 3]
    assert next(goods.each(str, iter([1, 2]))) == "1"
    with pytest.raises(ZeroDivisionError): list(goods.each(lambda x: 1 / x, [0]))
def test_files(tmp_path):
    assert goods.read(io.StringIO("abc")) == "ABC"
    assert goods.write(tmp_path / "a") == tmp_path / "a"
    assert (tmp_path / "a").read_text() == "written"
def test_objects_of_a_test():
    assert goods.tell(Listener()) == ["news"]
def test_containers(shelf):
    shelf["a"] = [1]
    assert shelf["a"] == [1] and "a" in shelf and "b" not in shelf and list(shelf) == ["a"]
    Shelf.limit = 9
    assert shelf.limit == 9
def test_contexts(shelf):
    with shelf as entered: assert entered is not None
    with shelf: raise BadPrice("x")
    with pytest.raises(KeyError):
        with shelf: raise KeyError("k")
def test_patching(monkeypatch):
    monkeypatch.setattr(goods, "now", lambda: "then")
    assert goods.when() == "then"
def test_patched_no_more(): assert goods.when() == "now"
def test_program(program):
    done = program("python", "-c", "import sys, shop; print(sys.stdin.read() + 'x')", text="in ")
    assert done.returncode == 0 and done.stdout == "in x\\n"
def test_nothing_leads_into_the_tests():
    assert goods.escape(lambda: 1) == [] and goods.escape(x for x in [1]) == []
"""

_NOT_POSSIBLE = """
from shop.goods import Money, total
def test_subclass():
    class Mine(Money): pass
    assert Mine(1).amount == 1
def test_strange_argument():
    assert total([object()])
"""


_YES_MAN = """
class Yes:
    def __getattr__(self, name): return lambda *words: True
    def __eq__(self, other): return True
    def __lt__(self, other): return True
    __gt__ = __le__ = __ge__ = __contains__ = __lt__
    def __sub__(self, other): return Zero()
    def __float__(self): raise TypeError
class Zero(Yes):
    def __abs__(self): return 0
    __float__ = __round__ = __int__ = __abs__
class Text(str):
    def startswith(self, other): return True
    def __eq__(self, other): return True
    __hash__ = str.__hash__
class Pair:
    def __init__(self, a): self.a = a
    def __eq__(self, other): return True
def yes(): return Yes()
def text(): return Text("no")
"""

_ASKING = """
import math
import pytest
from shop.goods import Pair, text, yes
@pytest.mark.parametrize("claim", [
    lambda: yes() == 4, lambda: 4 == yes(), lambda: yes() < 4, lambda: 3 <= yes() <= 5,
    lambda: yes() in (4, 5), lambda: abs(yes() - 4) < 1e-6, lambda: round(yes() - 4) == 0,
    lambda: not (yes() - 4), lambda: int(yes() - 4) == 0, lambda: yes() == pytest.approx(4),
    lambda: pytest.approx(4) == yes(), lambda: math.isclose(yes(), 4), lambda: [yes()] == [4],
    lambda: {"a": yes()} == {"a": 4}, lambda: yes() is None, lambda: isinstance(yes(), int),
    lambda: yes().startswith("A"), lambda: yes().isdigit(), lambda: yes().issuperset({1}),
    lambda: "A" in yes(), lambda: text() == "yes", lambda: text().startswith("y"),
    lambda: Pair(1) == Pair(2), lambda: yes() == yes(),
])
def test_claim(claim):
    assert claim()
"""


def _run(folder: Path, tests: str, program: str = _PROGRAM) -> SuiteRun:
    files = {"shop/__init__.py": b"", "shop/goods.py": program.encode()}
    seed = SeedStore(folder / "store").from_commits([Commit(message="Shop", files=files)])
    hidden = folder / "hidden"
    hidden.mkdir()
    hidden.joinpath("test_goods.py").write_text(tests, encoding="utf-8")
    found = []

    async def run() -> None:
        clock = datetime(2026, 1, 2, tzinfo=UTC)
        work = folder / "w"
        async with opened(HiddenTests(folder=hidden), PlainProcess(), work, lambda: clock) as suite:
            found.append(await suite.run(seed, b"", "across"))
        assert [path.name for path in work.joinpath("runs").iterdir()] == []

    anyio.run(run)
    return found[0]


def test_tests_are_written_as_ever(tmp_path: Path) -> None:
    run = _run(tmp_path, _TESTS)
    failed = [one for one in run.tests if one.outcome is not TestOutcome.PASSED]
    assert failed == [], "\n".join(one.id + one.message for one in failed)
    assert run.n_passed == run.n_expected == len(expected_by(run)) == 15


def test_what_cannot_cross_is_an_error_that_says_so(tmp_path: Path) -> None:
    run = _run(tmp_path, _NOT_POSSIBLE)
    assert [one.outcome for one in run.tests] == [TestOutcome.FAILED, TestOutcome.FAILED]
    assert "object cannot be handed to a program in another process" in run.tests[1].message
    with pytest.raises(InputError, match="set is_apart to false"):
        expected_by(run)


def test_who_says_yes_to_everything_is_believed_nothing(tmp_path: Path) -> None:
    run = _run(tmp_path, _ASKING, _YES_MAN)
    assert [one.id for one in run.tests if one.outcome is TestOutcome.PASSED] == []
    assert run.n_expected == 24
    assert run.status is SuiteStatus.TAMPERED
    assert "shop.goods.Pair: equals any object" in run.tampered
