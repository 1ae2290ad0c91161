"""Writes. Each function is one transaction, takes only keyword arguments, and raises a ServiceError if it may not or cannot do it.

The order is the same everywhere: who is asking (``check_owner``), whether it can be done (``check_live``),
then the row under the lock, then ``wake_later``, which wakes the run's owner once the transaction is
committed. Any earlier, the owner would find the old row. No service drives a run; a service that needs a
world (a branch at a record, a link) reads the log or the time machine first and writes afterwards, because
a write transaction blocks every other writer on SQLite.
"""
