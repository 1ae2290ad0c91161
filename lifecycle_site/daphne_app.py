"""Daphne's Django app without the server itself, which only the processes that serve pages load.

Daphne's own AppConfig imports Twisted into every command, runner and worker, which costs about 0.4 s of CPU at each start.
"""

from django.apps import AppConfig


class DaphneConfig(AppConfig):
    """Provides a ``manage.py runserver`` that serves sockets; listed before ``django.contrib.staticfiles``, whose version does not."""

    name = "daphne"
    verbose_name = "Daphne"
