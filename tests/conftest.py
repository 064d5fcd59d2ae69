"""Settings for all tests: property tests draw the same examples each time and mind no clock."""

from hypothesis import settings

settings.register_profile("house", deadline=None, derandomize=True)
settings.load_profile("house")
