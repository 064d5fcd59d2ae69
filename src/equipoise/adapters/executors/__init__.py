"""Where attempts are executed."""
