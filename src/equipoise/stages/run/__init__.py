"""From a plan's cells to trials."""
