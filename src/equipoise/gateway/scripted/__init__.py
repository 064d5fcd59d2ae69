"""A stand-in for a model: it answers by a scenario, as each vendor would, and always the same."""
