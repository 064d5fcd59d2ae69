"""Programs of our own that are looked at like anybody else's: they know nothing of equipoise."""
