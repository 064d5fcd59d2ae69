"""Studies of kind rating: sets of outputs that people and model judges put in order."""
