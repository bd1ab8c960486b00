"""Designing an algorithm: what was asked, the loop that learns, the race that decides, and the folder that survives."""

from metasmith.design.asked import EFFORTS, PRESETS, Asked, asked
from metasmith.design.designing import Design, Plan, Progress, design, resume
from metasmith.design.folder import Folder

__all__ = ["EFFORTS", "PRESETS", "Asked", "Design", "Folder", "Plan", "Progress", "asked", "design", "resume"]
