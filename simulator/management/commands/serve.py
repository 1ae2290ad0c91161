"""``manage.py serve``: the whole site in one process. What ``make run`` ends with."""

import sys
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import connection
from django.db.migrations.executor import MigrationExecutor


class Command(BaseCommand):
    """Check that it can start, then serve until stopped. Ends with 1 where it could not start or the runner died."""

    help = "Serve pages, sockets and simulations from one process."

    def add_arguments(self, parser: CommandParser) -> None:
        """Where to listen."""
        parser.add_argument("--host", default="127.0.0.1", help="address to listen on (default 127.0.0.1)")
        parser.add_argument("--port", type=int, default=8000, help="port to listen on (default 8000)")
        parser.add_argument("--migrate", action="store_true", help="bring the database up to date first")
        parser.add_argument("--prepare", action="store_true", help="bring everything up to date first (see manage.py prepare)")

    def handle(self, *args: Any, **options: Any) -> None:
        """Refuse early and in one line whatever would fail later."""
        from simulator.runner.server import SiteServer, port_problem

        host, port = options["host"], options["port"]
        problem = port_problem(host, port)
        if problem:
            raise CommandError(f"{problem} Choose another one: make run PORT={port + 1 if port < 65535 else 8000}")
        if options["prepare"]:
            call_command("prepare")
        elif options["migrate"]:
            call_command("migrate", interactive=False, verbosity=0)
        executor = MigrationExecutor(connection)
        if executor.migration_plan(executor.loader.graph.leaf_nodes()):
            raise CommandError("The database is not up to date. Run: manage.py migrate (or serve --migrate)")
        connection.close()
        if host not in {*settings.ALLOWED_HOSTS, "0.0.0.0", "::"}:
            settings.ALLOWED_HOSTS.append(host)
        self._serve(SiteServer, host, port)

    def _serve(self, server_class: Any, host: str, port: int) -> None:
        from lifecycle_site.asgi import application

        shown = f"[{host}]" if ":" in host else host

        def ready() -> None:
            self.stdout.write(f"Podscope is running on http://{shown}:{port}/  (stop it with Ctrl+C)")
            self.stdout.flush()

        server = server_class(application=application, host=host, port=port, on_ready=ready)
        try:
            server.run()
        except Exception as error:
            self.stderr.write(f"The simulator stopped: {type(error).__name__}: {error}")
            sys.exit(1)
        self.stdout.write("Stopped.")
