"""The way to the models: it holds the keys, keeps to the limits and records every call."""
