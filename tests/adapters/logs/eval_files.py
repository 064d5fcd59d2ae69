"""Writes small Inspect logs as Inspect writes them: a zip whose members are compressed by zstd."""

import json
import struct
import zlib
from pathlib import Path
from typing import Any

import zstandard

ZSTD = 93


def sample(unit: object, *, epoch: int = 1, value: object = "C", **more: object) -> dict[str, Any]:
    """One sample with one score of the scorer ``match``."""
    made: dict[str, Any] = {
        "id": unit,
        "epoch": epoch,
        "output": {"model": "m-1", "choices": [{"stop_reason": "stop"}]},
        "scores": {"match": {"value": value}},
        "model_usage": {"m": {"input_tokens": 60, "output_tokens": 1, "total_tokens": 61}},
        "total_time": 1.5,
    }
    return made | more


def header(samples: list[dict[str, Any]], accuracy: float | None = 0.5) -> dict[str, Any]:
    """The head of a finished log."""
    return {
        "version": 2,
        "status": "success",
        "eval": {"task": "t", "model": "m", "packages": {"inspect_ai": "0.3.1"}},
        "results": {
            "total_samples": len(samples),
            "completed_samples": len(samples),
            "scores": [
                {
                    "name": "match",
                    "scorer": "match",
                    "metrics": {"accuracy": {"name": "accuracy", "value": accuracy}},
                }
            ],
        },
    }


def members(samples: list[dict[str, Any]], head: dict[str, Any] | None = None) -> dict[str, bytes]:
    """The members of a log by name."""
    found = {"_journal/start.json": json.dumps({"version": 2, "eval": header([])["eval"]}).encode()}
    for item in samples:
        found[f"samples/{item['id']}_epoch_{item['epoch']}.json"] = json.dumps(item).encode()
    found["header.json"] = json.dumps(header(samples) if head is None else head).encode()
    return found


def write_eval(path: Path, parts: dict[str, bytes], *, is_closed: bool = True) -> Path:
    """Writes a zip of zstd members; without its list at the end if it is not closed."""
    body, listing = b"", b""
    for name, content in parts.items():
        packed = zstandard.ZstdCompressor().compress(content)
        title = name.encode()
        fields = (20, 0, ZSTD, 0, 33, zlib.crc32(content), len(packed), len(content), len(title))
        listing += b"PK\x01\x02" + struct.pack("<HHHHHHIIIH", 20, *fields)
        listing += struct.pack("<HHHHII", 0, 0, 0, 0, 0, len(body)) + title
        body += b"PK\x03\x04" + struct.pack("<HHHHHIIIHH", *fields, 0) + title + packed
    end = struct.pack("<HHHHIIH", 0, 0, len(parts), len(parts), len(listing), len(body), 0)
    path.write_bytes(body + (listing + b"PK\x05\x06" + end if is_closed else b""))
    return path
