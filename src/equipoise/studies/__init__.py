"""One room per kind of study: how its plan, runs, grades and estimates go together."""
