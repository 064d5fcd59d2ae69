"""Finds entries by words, tags and amounts: `lunch #food >5 <20 -market`."""

from collections import defaultdict

from tally import money
from tally.words import folded, words


class BadQuery(ValueError):
    """A term of the query means nothing."""


class Index:
    """Words of entries -> the entries' ids."""

    def __init__(self, entries):
        self.entries = {entry.id: entry for entry in entries}
        self.by_word = defaultdict(set)
        for entry in entries:
            for word in words(entry.text):
                self.by_word[word].add(entry.id)

    def find(self, query):
        """Gives the entries that every term fits, in the order of their ids."""
        ids = set(self.entries)
        for term in query.split():
            ids &= self._term(term)
        return [self.entries[id] for id in sorted(ids)]

    def _term(self, term):
        if term.startswith("-") and len(term) > 1:
            return set(self.entries) - self._term(term[1:])
        if term.startswith("#"):
            tag = folded(term[1:])
            return {id for id, e in self.entries.items() if tag in map(folded, e.tags)}
        if term[0] in "<>":
            return self._amount(term)
        found = set(self.entries)
        for word in words(term):
            found &= self.by_word.get(word, set())
        return found

    def _amount(self, term):
        try:
            limit = money.parse(term[1:])
        except money.BadAmount:
            raise BadQuery("no amount in %r" % term) from None
        if term[0] == "<":
            return {id for id, e in self.entries.items() if e.cents < limit}
        return {id for id, e in self.entries.items() if e.cents > limit}
