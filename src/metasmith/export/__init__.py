"""Programs as stand-alone Python files."""

from metasmith.export.export import exported

__all__ = ["exported"]
