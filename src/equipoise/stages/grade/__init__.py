"""From trials and their documents to grades."""
