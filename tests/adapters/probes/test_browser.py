"""Pages of a real site are seen in a real browser, and an outage is no loss of the system."""

import asyncio
import os
import signal
import struct
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from adapters.probes.requests import request
from equipoise.errors import InputError
from equipoise.ports import Collected, Probe
from equipoise.records.plan import ProbeSpec
from equipoise.wiring import probe
from every import for_every
from machine.site import Site, opened_site

_STEPS = [
    {"fill": "#name", "with": "{brief.name}"},
    {"select": "#lang", "with": "de"},
    {"click": "text=Send"},
    {"wait_for": "#answer"},
]


@pytest.fixture
def site() -> Iterator[Site]:
    with opened_site() as made:
        yield made


def _made(service: str, **options: Any) -> Probe:
    given = {"url": "{service}/desk", "timeout_ms": "8000"} | options
    return probe(
        ProbeSpec(name="page", kind="browser", options=given), Path(), {"service": service}
    )


def _probed(made: Probe, use: Callable[[], Awaitable[Any]]) -> Any:
    async def inside() -> Any:
        async with made:
            return await use()

    return asyncio.run(inside())


def _once(made: Probe, **content: Any) -> Collected:
    found = _probed(made, lambda: made.collect(request(**content)))
    assert isinstance(found, Collected)
    return found


@pytest.mark.requirement("E2E-49")
def test_a_page_is_seen_as_its_user_sees_it(chromium: str, site: Site) -> None:
    found = _once(_made(site.address, steps=_STEPS, executable=chromium), name='<b>"Ann"')
    assert found.unavailable == ""
    assert set(found.documents) == {"page.html", "page.png"}
    assert b'<p id="answer">Hello, &lt;b&gt;"Ann" (de)</p>' in found.documents["page.html"]
    png = found.documents["page.png"]
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    assert min(struct.unpack(">II", png[16:24])) > 100


@pytest.mark.requirement("E2E-49")
def test_a_page_that_lacks_what_a_step_wants_is_kept_and_tells(chromium: str, site: Site) -> None:
    steps = [{"click": "#no-such-button"}, {"click": "text=Send"}]
    found = _once(_made(site.address, steps=steps, timeout_ms="700", executable=chromium))
    assert found.unavailable == ""
    assert b"Help desk" in found.documents["page.html"]
    assert found.documents["page.steps.txt"].startswith(b"step 1, click #no-such-button: ")
    missing = _once(_made(site.address, url="{service}/nothing", executable=chromium))
    assert b"no such page" in missing.documents["page.html"]


@pytest.mark.requirement("E2E-49")
@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"url": "{service}/broken"}, "/broken is down: it answers 500"),
        ({"url": "http://127.0.0.1:9/"}, "http://127.0.0.1:9/ is down: "),
        ({"url": "{service}/slow", "timeout_ms": "300"}, "/slow is down: "),
        ({"steps": [{"goto": "{service}/broken"}]}, "/broken is down: it answers 500"),
    ],
)
def test_a_page_that_is_down_is_unavailable(
    chromium: str, site: Site, options: dict[str, Any], said: str
) -> None:
    found = _once(_made(site.address, executable=chromium, **options))
    assert said in found.unavailable
    assert found.documents == {}


@pytest.mark.requirement("E2E-49")
def test_an_upstream_outage_is_unavailable_before_and_while_the_page_is_open(
    chromium: str, site: Site
) -> None:
    before = _made(site.address, steps=_STEPS, upstream="{service}/model/", executable=chromium)
    unknown = _made(site.address, steps=_STEPS, executable=chromium)
    meanwhile = _made(
        site.address, steps=_STEPS, upstream="{service}/model/answer", executable=chromium
    )

    async def use() -> list[Collected]:
        first = await meanwhile.collect(request(name="Ann"))
        collecting = asyncio.create_task(meanwhile.collect(request(name="Bob")))
        await asyncio.sleep(0.02)
        site.is_up = False
        return [first, await collecting]

    found = _probed(meanwhile, use)
    assert b"Hello, Ann" in found[0].documents["page.html"]
    assert f"{site.address}/model/answer is down: it answers 503" in found[1].unavailable
    assert "upstream: " in _once(before, name="Ann").unavailable
    seen = _once(unknown, name="Ann")
    assert b"nobody answers, Ann" in seen.documents["page.html"]


def test_each_trial_has_a_profile_of_its_own_and_a_dead_browser_is_replaced(
    chromium: str, site: Site
) -> None:
    steps = [*_STEPS]
    made = _made(site.address, steps=steps, executable=chromium)

    async def use() -> list[Collected]:
        many = await asyncio.gather(
            *(made.collect(request(f"t{k}", name=f"Ann{k}")) for k in range(4))
        )
        for browser in _browsers(os.getpid()):
            os.kill(browser, signal.SIGKILL)
        await asyncio.sleep(0.3)
        return [*many, await made.collect(request(name="Zoe"))]

    *many, last = _probed(made, use)
    for k, found in enumerate(many):
        assert f"Hello, Ann{k} (de)".encode() in found.documents["page.html"]
    assert b"Hello, Zoe" in last.documents["page.html"]
    assert _browsers(os.getpid()) == []


def _browsers(parent: int) -> list[int]:
    """The processes below this one that are a Chromium."""
    table: list[tuple[int, int, bytes]] = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            above = int(folder.joinpath("stat").read_text().rpartition(")")[2].split()[1])
            table.append((int(folder.name), above, folder.joinpath("cmdline").read_bytes()))
        except OSError:  # it ended meanwhile
            continue
    below = {parent}
    while more := {pid for pid, above, _ in table if above in below} - below:
        below |= more
    return [
        pid
        for pid, _, said in table
        if pid in below and b"chrom" in said and b"--type=" not in said and b"--headless" in said
    ]


@pytest.mark.requirement("E2E-52")
def test_without_a_chromium_the_page_is_unavailable(site: Site) -> None:
    pytest.importorskip("playwright", reason="no playwright: pip install '.[browser]'")
    found = _once(_made(site.address, executable="/nowhere/chromium"))
    assert "there is no /nowhere/chromium; mend: apt-get install chromium" in found.unavailable
    broken = _once(_made(site.address, executable=sys.executable))
    assert "the browser does not start" in broken.unavailable


@pytest.mark.requirement("E2E-52")
def test_without_playwright_the_page_is_unavailable(tmp_path: Path, site: Site) -> None:
    program = (
        "import asyncio, sys\n"
        "sys.modules['playwright'] = sys.modules['psycopg'] = None\n"
        "from pathlib import Path\n"
        "from adapters.probes.requests import request\n"
        "from equipoise.records.plan import ProbeSpec\n"
        "from equipoise.wiring import probe\n"
        "async def look(kind, **options):\n"
        "    spec = ProbeSpec(name='x', kind=kind, options=options)\n"
        "    async with probe(spec, Path()) as made:\n"
        "        print((await made.collect(request())).unavailable)\n"
        "asyncio.run(look('browser', url=sys.argv[1]))\n"
        "asyncio.run(look('sql', postgres='postgresql:///x', query='SELECT 1 AS one'))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, f"{site.address}/desk"],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(p for p in sys.path if p)},
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
    )
    assert done.stdout == (
        "playwright is not installed; mend: pip install 'equipoise[browser]'\n"
        "psycopg is not installed; mend: pip install 'equipoise[postgres]'\n"
    ), done.stderr


@for_every(
    "options, said",
    [
        ({"url": "file:///etc/passwd"}, "http://"),
        ({"url": "{service}/{brief}"}, "no value 'brief'"),
        ({"steps": "click"}, "a list of mappings"),
        ({"steps": [{"tap": "#x"}]}, "one of fill"),
        ({"steps": [{"fill": "#x"}]}, "also need `with`"),
        ({"steps": [{"click": "#x", "with": "y"}]}, "one of fill"),
        ({"steps": [{"fill": "#x", "with": "{nam}"}]}, "no value 'nam'"),
        ({"viewport": "large"}, "option 'viewport'"),
    ],
)
def test_wrong_options_are_refused_by_name(options: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        _made("", **options)
