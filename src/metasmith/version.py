"""The version, for those who say how something was made."""

VERSION = "0.1.0"
