"""The nouns of the house; who reads them first knows its language."""
