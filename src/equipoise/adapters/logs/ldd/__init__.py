"""Reads trace logs of loss-driven development (LDD)."""
