"""Probes of what a trial left behind: log lines, rows, web pages."""
