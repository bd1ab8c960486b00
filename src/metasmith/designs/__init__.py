"""Designing an algorithm: what was asked, the loop that learns, the race that decides, and the folder that survives."""

from metasmith.designs.asked import EFFORTS, PRESETS, Asked, ask
from metasmith.designs.designing import Design, Plan, Progress, design, export, resume
from metasmith.designs.folder import Folder

__all__ = ["EFFORTS", "PRESETS", "Asked", "Design", "Folder", "Plan", "Progress", "ask", "design", "export", "resume"]
