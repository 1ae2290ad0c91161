"""``manage.py prepare``: everything between a fresh checkout and a site that can be served, each step only where it is needed."""

from io import StringIO
from typing import Any

from django.conf import settings
from django.core.management import call_command, get_commands
from django.core.management.base import BaseCommand

from lifecycle_site.collected import collect_static
from lifecycle_site.locks import alone_here, alone_in_database


class Command(BaseCommand):
    """Migrate, load the built-in scenarios, compile translations, collect static files. Any number of these may run at once.

    One that is killed leaves nothing that the next one, or whoever serves next, does not finish.
    """

    help = "Bring database, scenarios, translations and static files up to date."
    requires_system_checks = ()

    def handle(self, *args: Any, **options: Any) -> None:
        """Run the steps; each is quick where there is nothing to do."""
        with alone_here(settings.DATA_DIR):
            call_command("compile_messages", quiet=True)
            with alone_in_database():
                call_command("migrate", interactive=False, verbosity=0)
                if "load_scenarios" in get_commands():
                    call_command("load_scenarios", verbosity=0, stdout=StringIO())
            if not settings.DEBUG:
                collect_static()
