"""The verbs of the house: each stage is a function from records to records."""
