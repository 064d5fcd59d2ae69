"""What follows from the cells of an outcome study: arms, items, hypotheses."""
