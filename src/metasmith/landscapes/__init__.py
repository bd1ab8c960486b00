"""What a problem looks like: the 32 landscape factors of the paper, by which a designer tells problems apart."""

from metasmith.landscapes.factors import NAMES, Landscape, landscape, sample_size
from metasmith.landscapes.known import Neighbour, nearest

__all__ = ["NAMES", "Landscape", "Neighbour", "landscape", "nearest", "sample_size"]
