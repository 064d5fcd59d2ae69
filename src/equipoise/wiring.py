"""Names to adapters; the one place with late imports."""
