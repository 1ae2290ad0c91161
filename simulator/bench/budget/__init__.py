"""What canonical runs cost: calls of the project's own functions, which are the same on every machine, and time beside another commit's."""
