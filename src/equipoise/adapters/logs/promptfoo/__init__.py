"""Reads results of promptfoo."""
