"""What several components have in common."""
