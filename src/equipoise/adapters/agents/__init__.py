"""Harnesses: how one session of each is started, and what its files say afterwards."""
