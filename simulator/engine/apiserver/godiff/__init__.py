"""The difference of two objects as the API server prints it: a report in the manner of go-cmp over Go's internal types."""
