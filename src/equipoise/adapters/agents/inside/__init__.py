"""Programs that run inside a cell: they import nothing of this package."""
