"""The Job controller: pods that run to completion, counted one by one, until enough have succeeded or too many have failed."""
