"""Stands in for your system: takes one request, answers it, and leaves a line in its log.

Put your own program in its place, or ask it over HTTP: see `arms` in study.yaml.
"""

import json
import re
import sys
from pathlib import Path

_AMOUNT = re.compile(r"(\d+)\.(\d\d) EUR")
_PARCEL = re.compile(r"parcel (\d+)")


def main() -> None:
    """Reads the request from standard input and writes the answer to standard output."""
    release = sys.argv[1]
    request = json.load(sys.stdin)
    reply = answer(request["text"], release, request["seed"])
    with Path("state", "answered.txt").open("a", encoding="utf-8") as answered:
        answered.write(f"{request['trial']}\n")
    with Path("logs", "desk.jsonl").open("a", encoding="utf-8") as log:
        line = {"trace": request["trial"], "hop": "desk", "event": "answered", "reply": reply}
        log.write(json.dumps(line) + "\n")
    sys.stdout.write(json.dumps({"reply": reply}) + "\n")


def answer(text: str, release: str, seed: int) -> str:
    """Gives the reply; now and then, by the request's seed, one that helps nobody."""
    if seed % 20 == 0:
        return "Could you say that again?"
    if parcel := _PARCEL.search(text):
        return f"Your parcel {parcel[1]} arrives tomorrow."
    if amount := _AMOUNT.search(text):
        cents = amount[2] if release == "release-1" else "00"  # what the study is to find
        return f"We pay back {amount[1]}.{cents} EUR."
    return "We will write to you."


if __name__ == "__main__":
    main()
