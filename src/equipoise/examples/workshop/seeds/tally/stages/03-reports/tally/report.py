"""Sums over entries: by tag, by month, for a period."""

from collections import defaultdict


class Report:
    """Sums of a store. Sums are kept, because files of some users have 50,000 entries."""

    def __init__(self, store):
        self.store = store
        self._sums = {}
        self._seen = None

    def total(self, period=None):
        """Gives the cents spent in a period; null = ever."""
        self._forget_if_changed()
        key = str(period)
        if key not in self._sums:
            self._sums[key] = sum(e.cents for e in self.entries(period))
        return self._sums[key]

    def by_tag(self, period=None):
        """Gives tag -> cents, the largest first; entries without a tag stand under ""."""
        sums = defaultdict(int)
        for entry in self.entries(period):
            for tag in entry.tags or [""]:
                sums[tag] += entry.cents
        return dict(sorted(sums.items(), key=lambda item: (-item[1], item[0])))

    def by_month(self, period=None):
        """Gives "2024-03" -> cents in order of time."""
        sums = defaultdict(int)
        for entry in self.entries(period):
            sums["%04d-%02d" % (entry.day.year, entry.day.month)] += entry.cents
        return dict(sorted(sums.items()))

    def entries(self, period=None):
        return [e for e in self.store.entries if period is None or e.day in period]

    def _forget_if_changed(self):
        if self._seen != self.store.version:
            self._sums = {}
            self._seen = self.store.version
