"""Sandboxes: bubblewrap by default, and what stands in for it where it is not there."""
