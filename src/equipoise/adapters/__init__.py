"""Small real bridges to the world outside, one file per foreign thing."""
