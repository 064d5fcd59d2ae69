"""Days, months and the periods that reports are about."""

import calendar
import datetime


def last_day(year, month):
    return calendar.monthrange(year, month)[1]


def add_months(day, n):
    """Gives the same day n months later; the last day of the month where there is no such day."""
    index = day.year * 12 + day.month - 1 + n
    year, month = index // 12, index % 12 + 1
    return datetime.date(year, month, min(day.day, last_day(year, month)))


class Period:
    """From a first to a last day, both of which belong to it."""

    def __init__(self, first, last):
        if last < first:
            raise ValueError("a period that ends before it begins")
        self.first = first
        self.last = last

    @classmethod
    def month(cls, year, month):
        return cls(
            datetime.date(year, month, 1),
            datetime.date(year, month, last_day(year, month)),
        )

    @classmethod
    def year(cls, year):
        return cls(datetime.date(year, 1, 1), datetime.date(year, 12, 31))

    @classmethod
    def parse(cls, text):
        """Reads "2024", "2024-03" or "2024-03-01..2024-03-09"."""
        try:
            if ".." in text:
                first, last = text.split("..")
                return cls(datetime.date.fromisoformat(first), datetime.date.fromisoformat(last))
            if "-" in text:
                year, month = text.split("-")
                return cls.month(int(year), int(month))
            return cls.year(int(text))
        except ValueError:
            raise ValueError("no period: %r" % text) from None

    def __contains__(self, day):
        return self.first <= day <= self.last

    def days(self):
        return (self.last - self.first).days + 1

    def __str__(self):
        return "%s..%s" % (self.first, self.last)
