"""Trials to estimates: units are the sample, repetitions average inside them."""
