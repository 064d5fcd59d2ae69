"""The files of a loss comparison: pages for readers, and the literal files of the workflow."""
