"""The 32 landscape factors of the paper: numbers that describe a problem, so that a writer can tell tasks apart."""

from metasmith.landscapes.factors import NAMES, Landscape, landscape, sample_size
from metasmith.landscapes.neighbours import Neighbour, nearest

__all__ = ["NAMES", "Landscape", "Neighbour", "landscape", "nearest", "sample_size"]
