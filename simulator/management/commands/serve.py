"""``manage.py serve``: the whole site from one command, which ``make run`` calls."""

import logging
import socket
import subprocess
import sys
from time import sleep
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from lifecycle_site.ending import leave
from lifecycle_site.env import env_text
from lifecycle_site.locks import alone_here, alone_in_database
from simulator.runs.log.db import AWAY

NO_HOST = "192.0.2.1"
"""A documentation address: connecting a datagram socket to it sends nothing, but reveals which local address would be used."""
RETRY_S = 1.0

log = logging.getLogger(__name__)


class Command(BaseCommand):
    """Check that the site can start, then serve until stopped. Exits with 1 if it could not start or the runner died."""

    help = "Serve the whole site: pages and sockets from this process, simulations from others that it starts."

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare where to listen."""
        parser.add_argument("--host", default="127.0.0.1", help="address to listen on (default 127.0.0.1)")
        parser.add_argument("--port", type=int, default=8000, help="port to listen on (default 8000)")
        parser.add_argument("--migrate", action="store_true", help="bring the database up to date first")
        parser.add_argument("--prepare", action="store_true", help="bring everything up to date first (see manage.py prepare)")

    def handle(self, *args: Any, **options: Any) -> None:
        """Serve, after checking for problems that would only show later, and reporting them in one line."""
        from simulator.runs.drive.server import SiteServer, port_problem

        host, port = options["host"], options["port"]
        problem = port_problem(host, port)
        if problem:
            raise CommandError(problem)
        if options["prepare"]:
            prepare_apart()
        elif options["migrate"]:
            with alone_here(settings.DATA_DIR), alone_in_database():
                call_command("migrate", interactive=False, verbosity=0)
        refuse_old_database()
        names = names_of(host)
        if not env_text("ALLOWED_HOSTS"):
            settings.ALLOWED_HOSTS.extend(name for name in names if name not in settings.ALLOWED_HOSTS)
        self._serve(SiteServer, host, port, names)

    def _serve(self, server_class: Any, host: str, port: int, names: list[str]) -> None:
        from lifecycle_site.asgi import application
        from simulator.web.base.guards import start_page_workers

        def ready() -> None:
            self.stdout.write(f"Podscope is running on http://{names[0]}:{port}/  (stop it with Ctrl+C)")
            for name in names[1:]:
                self.stdout.write(f"From other machines: http://{name}:{port}/")
            self.stdout.flush()

        server = server_class(application=application, host=host, port=port, on_run=start_page_workers, on_ready=ready)
        try:
            server.run()
        except Exception as error:
            self.stderr.write(f"The simulator stopped: {type(error).__name__}: {error}")
            leave(1)
        self.stdout.write("Stopped.")
        leave(0)


def prepare_apart() -> None:
    """Prepare in a separate process, because the site would otherwise keep the 40 MB that this needs for as long as it serves."""
    done = subprocess.run([sys.executable, str(settings.BASE_DIR / "manage.py"), "prepare"], check=False)
    if done.returncode < 0:
        raise CommandError(f"Preparing the site was ended by signal {-done.returncode}.")
    if done.returncode:
        leave(1)  # the other process has printed the reason


def refuse_old_database(*, waits: bool = False) -> None:
    """Raise CommandError if migrations are missing; leaves no connection open.

    With ``waits``, keep trying while the database server is unreachable, since it may be restarting. SQLite has no server, so errors
    with its file are raised in any case.
    """
    while True:
        try:
            is_old = _is_old()
            break
        except AWAY as error:
            if not waits or connection.vendor == "sqlite":
                raise
            log.warning("The database does not answer, trying again: %s", error)
            sleep(RETRY_S)
        finally:
            connection.close()
    if is_old:
        raise CommandError("The database is not up to date. Run: manage.py prepare")


def _is_old() -> bool:
    executor = MigrationExecutor(connection)
    return bool(executor.migration_plan(executor.loader.graph.leaf_nodes()))


def names_of(host: str) -> list[str]:
    """The host names under which browsers reach a server that listens on ``host``, as written in URLs; the best one first."""
    if host not in {"0.0.0.0", "::", ""}:
        return [f"[{host}]" if ":" in host else host]
    names = ["127.0.0.1", socket.gethostname()]
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect((NO_HOST, 9))
            names.append(str(probe.getsockname()[0]))
        except OSError:  # no network, so there will be no other visitors
            return names[:1]
    return list(dict.fromkeys(names))
