"""Keeps track of what you spend."""
