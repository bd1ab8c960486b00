"""What was found, for people: reads records, and knows nothing of how they were made."""
