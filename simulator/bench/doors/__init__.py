"""Every address and socket of the site, walked with hostile input: ``manage.py bench doors``.

Whatever a visitor sends, the answer is no 5xx but a 503 in words, nothing is logged with a traceback, no process ends, and sockets close
with a code of the protocol's. The tests walk a little of it in one process; the bench walks 20,000 inputs against a real site. An input
follows from its seed and its number alone (``grammar``), so one that fails can be sent again.
"""
