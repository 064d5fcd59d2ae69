"""The pages of a rating study: a ranking per axis, people, judges, and what validated them."""
