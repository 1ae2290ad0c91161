"""Fault injection into the real processes of a site, and the invariants checked after each fault. ``manage.py bench faults``
(``make faults``) injects hundreds, the tests a few.

A seeded schedule kills, freezes and disconnects processes, fills the disk, locks and damages the database and shifts the clock, at random
moments while somebody acts and others watch. After each fault the log has no gap and no duplicate, a replay has the same digest, every
acknowledged act is in it exactly once, every viewer has the whole log, a class has its members, runs, checks and votes, and an append under
an old epoch is refused.
"""
