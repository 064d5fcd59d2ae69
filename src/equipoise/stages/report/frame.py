"""The frame all pages share: templates that escape, style, script, and the hash it runs under."""

import base64
import hashlib
import re
from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from equipoise.stages.report.text import label

_JOINT = re.compile(r"([_/=])(?=\w)")
_TICKED = re.compile(r"`([^`]+)`")
_ROOM = "equipoise.stages.report"


def filled(template: str, **parts: Any) -> bytes:
    """Gives the page of a template that extends the frame, UTF-8."""
    script = _asset("open.js")
    page = (
        _environment()
        .get_template(template)
        .render(style=_asset("page.css"), script=script, script_hash=_csp_hash(script), **parts)
    )
    return page.encode(errors="replace")


def _soft(text: str) -> Markup:
    """Gives the text, escaped, with places where a long name may be broken."""
    return Markup(_JOINT.sub("\\1<wbr>", str(escape(text))))  # noqa: S704  escaped just here


def _ticks(text: str) -> Markup:
    """Gives the text, escaped, with what stands between `ticks` set as code."""
    return Markup(_TICKED.sub("<code>\\1</code>", str(escape(text))))  # noqa: S704  escaped just here


def _csp_hash(script: str) -> str:
    digest = hashlib.sha256(script.encode()).digest()
    return f"sha256-{base64.b64encode(digest).decode()}"


@cache
def _asset(name: str) -> str:
    return files(_ROOM).joinpath("templates", name).read_text(encoding="utf-8").strip()


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader(_ROOM),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    environment.filters["name"] = label
    environment.filters["soft"] = _soft
    environment.filters["ticks"] = _ticks
    return environment
