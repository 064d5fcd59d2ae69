"""Reads runs out of tables: one row, one execution."""
