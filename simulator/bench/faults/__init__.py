"""Faults dealt to the real processes of a site, and what may not come of them. ``manage.py bench faults`` (``make faults``) deals hundreds,
the tests a few.

A seeded schedule kills, freezes and cuts off processes, fills the disk, locks and tears the database and turns the clock, at random moments
while somebody acts and others watch. After each fault the log has no gap and no double, a replay gives its digest, every act that was
acknowledged is there once, every viewer holds the whole log, a class has its members, runs, checks and votes, and an append under an old
epoch is refused.
"""
