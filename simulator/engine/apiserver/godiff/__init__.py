"""The difference between two objects as the API server prints it: a go-cmp style report over Go's internal types."""
