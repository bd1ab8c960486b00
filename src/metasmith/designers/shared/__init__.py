"""What several designers share."""
