"""Writes. Each function is one transaction, takes keywords only, and raises a ServiceError where it may not or cannot.

The order is the same everywhere: who asks (``check_owner``), whether it can be done (``check_live``), then
the row under the lock, then ``wake_later``, which tells the run's owner once the transaction is committed.
Never before: the owner would look and find the old row. No service drives a run; what needs a world (a
branch at a record, a link) reads the log or the time machine first and writes afterwards, because a
write transaction stops every other writer on SQLite.
"""
