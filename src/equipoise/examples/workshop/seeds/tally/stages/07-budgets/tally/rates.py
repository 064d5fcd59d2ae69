"""Amounts in other currencies. A rate is a whole number of millionths: 1_085_000 is 1.085."""

ONE = 1000000


class NoRate(KeyError):
    """There is no rate for this currency on or before this day."""


class Rates:
    def __init__(self):
        self._rates = {}

    def set(self, currency, day, rate):
        if rate <= 0:
            raise ValueError("a rate of %r" % rate)
        self._rates.setdefault(currency, []).append((day, rate))
        self._rates[currency].sort()

    def rate(self, currency, day):
        """Gives the newest rate that was set for this day or one before it."""
        found = [rate for since, rate in self._rates.get(currency, ()) if since <= day]
        if not found:
            raise NoRate("%s on %s" % (currency, day))
        return found[-1]

    def to_home(self, cents, currency, day):
        """Gives cents in the home currency, half a cent away from zero."""
        rate = self.rate(currency, day)
        whole = (abs(cents) * rate * 2 + ONE) // (2 * ONE)
        return -whole if cents < 0 else whole
