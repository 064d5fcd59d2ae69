"""Entries that come again: rent, subscriptions."""

import json
import os

from tally.dates import add_months
from tally.entry import Entry


class Rule:
    """Something that is due every `every` months from a first day on."""

    def __init__(self, name, first, cents, every=1, tags=(), until=None):
        if every < 1:
            raise ValueError("every %r months" % every)
        self.name = name
        self.first = first
        self.cents = cents
        self.every = every
        self.tags = tags
        self.until = until

    def days(self, last):
        """Yields the days on which it is due, up to and including `last`."""
        end = min(last, self.until) if self.until else last
        n = 0
        day = self.first
        while day <= end:
            yield day
            n += 1
            day = add_months(self.first, n * self.every)


class Rules:
    def __init__(self, path):
        self.path = path
        self.rules = {}
        self.done = {}
        if os.path.exists(path):
            self._read()

    def _read(self):
        import datetime

        with open(self.path, encoding="utf-8") as file:
            data = json.load(file)
        iso = datetime.date.fromisoformat
        for name, rule in data["rules"].items():
            self.rules[name] = Rule(
                name,
                iso(rule["first"]),
                rule["cents"],
                rule.get("every", 1),
                rule.get("tags", []),
                iso(rule["until"]) if rule.get("until") else None,
            )
        self.done = {name: iso(day) for name, day in data.get("done", {}).items()}

    def save(self):
        data = {
            "rules": {
                rule.name: {
                    "first": rule.first.isoformat(),
                    "cents": rule.cents,
                    "every": rule.every,
                    "tags": list(rule.tags),
                    "until": rule.until.isoformat() if rule.until else None,
                }
                for rule in self.rules.values()
            },
            "done": {name: day.isoformat() for name, day in self.done.items()},
        }
        with open(self.path, "w", encoding="utf-8") as file:
            json.dump(data, file, indent=1, sort_keys=True)

    def add(self, rule):
        if rule.name in self.rules:
            raise ValueError("there is a rule %r already" % rule.name)
        self.rules[rule.name] = rule
        self.save()

    def post(self, store, today):
        """Adds entries for everything due that was not added yet; gives them."""
        added = []
        for rule in self.rules.values():
            done = self.done.get(rule.name)
            for day in rule.days(today):
                if done is None or day > done:
                    added.append(store.add(day, rule.cents, rule.name, rule.tags))
                    self.done[rule.name] = day
        self.save()
        return added


def preview(rule, last):
    """Gives what would be posted, as entries without an id."""
    return [Entry(None, day, rule.cents, rule.name, rule.tags) for day in rule.days(last)]
