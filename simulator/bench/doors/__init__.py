"""Every address and socket of the site, attacked with hostile input: ``manage.py bench doors``.

Whatever a visitor sends, the answer is never a 5xx except a 503 with an explanation, nothing is logged with a traceback, no process ends,
and sockets close with a code of the protocol. The tests send a few inputs within one process; the bench sends 20,000 to a real site. An
input depends only on its seed and its number (``grammar``), so one that fails can be sent again.
"""
