"""Stock and orders of a small warehouse."""
