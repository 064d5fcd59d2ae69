"""Hidden tests: run where the agent never was, against what it left, and not to be talked over."""
