"""Experiments: each a declaration and a function that returns records; how they are shown is another room's business."""
