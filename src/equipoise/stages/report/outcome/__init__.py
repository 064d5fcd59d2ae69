"""The pages of an outcome study."""
