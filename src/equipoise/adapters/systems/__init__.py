"""Systems under test: a command, an HTTP endpoint, a Python callable."""
