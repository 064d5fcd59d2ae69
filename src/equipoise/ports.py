"""What the stages need from outside, as protocols owned by those who call."""
