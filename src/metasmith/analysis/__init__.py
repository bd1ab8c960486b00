"""What can be said of a design or of a designer: comparisons, ablations, diversity, evidence, and their statistics."""
