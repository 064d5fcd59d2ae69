"""Model judges: how they are asked about packets, how their answers are read, and by which rules."""
