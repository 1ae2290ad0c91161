"""The web server's Django app without the web server: only the processes that serve pages load it.

Daphne's own configuration imports Twisted into every command, runner and worker: some 0.4 s of computing at each start.
"""

from django.apps import AppConfig


class DaphneConfig(AppConfig):
    """Brings a ``manage.py runserver`` that serves sockets; comes before ``django.contrib.staticfiles``, which brings one that does not."""

    name = "daphne"
    verbose_name = "Daphne"
