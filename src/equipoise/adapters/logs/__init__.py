"""Readers of runs that other tools made."""
