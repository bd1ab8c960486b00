"""What several experiments need: the contract, scales, designs and runs that are kept, and published numbers."""
