"""What ratings say: scores of arms, agreement of people, stability and validation of judges."""
