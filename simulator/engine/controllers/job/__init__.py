"""The Job controller: runs pods to completion and counts each once, until enough have succeeded or too many have failed."""
