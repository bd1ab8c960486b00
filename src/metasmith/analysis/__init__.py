"""What can be said of a design or of a designer: comparisons, ablations, evidence, and the statistics that they rest
on.
"""
