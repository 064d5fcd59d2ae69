"""Programs that measure the package; none of them ships with it."""
