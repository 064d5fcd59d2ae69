"""Budgets: how much may be spent on a tag in a month, and what is left of it."""

from tally.dates import Period


class Budget:
    """Limits by tag, for a month; a tag may have another limit in a single month."""

    def __init__(self, limits=None, exceptions=None):
        self.limits = dict(limits or {})
        self.exceptions = dict(exceptions or {})

    def set(self, tag, cents, month=None):
        if month is None:
            self.limits[tag] = cents
        else:
            self.exceptions[tag, month] = cents

    def limit(self, tag, month):
        return self.exceptions.get((tag, month), self.limits.get(tag))

    def left(self, report, tag, year, month):
        """Gives the cents that are left, negative where too much was spent; None = no limit."""
        limit = self.limit(tag, "%04d-%02d" % (year, month))
        if limit is None:
            return None
        spent = report.by_tag(Period.month(year, month)).get(tag, 0)
        return limit - spent

    def over(self, report, year, month):
        """Gives tag -> cents over the limit, for all tags that are over."""
        found = {}
        for tag in sorted(set(self.limits) | {tag for tag, _ in self.exceptions}):
            left = self.left(report, tag, year, month)
            if left is not None and left < 0:
                found[tag] = -left
        return found


def spread(cents, days):
    """Shares an amount over days so that the shares differ by one cent at most and sum up."""
    # FIXME: negative amounts
    share, rest = divmod(cents, days)
    return [share + 1] * rest + [share] * (days - rest)
