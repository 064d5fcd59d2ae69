"""From what the user wrote to a plan that can be sealed."""
