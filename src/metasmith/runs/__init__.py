"""Designing an algorithm: what was asked, the loop that learns, the race that decides, and the folder that survives."""
