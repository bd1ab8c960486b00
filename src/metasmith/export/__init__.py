"""Programs as stand-alone Python files."""

from metasmith.export.export import BEGINS, exported, overwritable

__all__ = ["BEGINS", "exported", "overwritable"]
