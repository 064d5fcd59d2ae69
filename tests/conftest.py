"""Settings for all tests: property tests draw the same examples each time and mind no clock."""

import signal

from hypothesis import settings

pytest_plugins = ["machine.chromium", "machine.postgres"]

settings.register_profile("house", deadline=None, derandomize=True, max_examples=20)
settings.register_profile("thorough", deadline=None, max_examples=200)  # `make test-slow`
settings.load_profile("house")

# A shell that starts the tests in the background leaves SIGINT ignored, and children inherit it.
signal.signal(signal.SIGINT, signal.default_int_handler)
