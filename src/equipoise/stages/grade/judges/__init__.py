"""Model judges: how they are asked about packets and their answers read, and by which rules."""
