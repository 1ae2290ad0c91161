"""How long a process uses a connection to the database."""

from django.db import connections

CONNECTION_S = 60
"""A connection to the database is used for so long, unless it has failed or no longer answers."""


def keep_connections() -> None:
    """Use a connection for many requests: for processes whose threads serve one request after another.

    To open one takes a millisecond on SQLite and four on PostgreSQL. Before a request uses a kept one, the connection is asked whether it
    still answers, so that a restart of the database costs nobody a page. Elsewhere each request closes its connection, as Django does by
    default.
    """
    for each in connections.settings.values():
        each["CONN_MAX_AGE"] = CONNECTION_S
        each["CONN_HEALTH_CHECKS"] = True
