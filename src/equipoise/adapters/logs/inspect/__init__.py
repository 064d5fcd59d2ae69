"""Reads logs of Inspect AI, without Inspect AI."""
