"""Probes that collect what a trial left behind."""
