"""Estimates to verdicts, by rules fixed beforehand."""
