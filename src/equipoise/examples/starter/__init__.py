"""The study that ``equipoise init loss`` begins with: a small one that runs as it is."""
