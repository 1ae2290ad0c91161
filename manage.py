#!/usr/bin/env python
"""Django's command line for Podscope."""

import os
import sys


def main() -> None:
    """Run the command named on the command line."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "lifecycle_site.settings")
    from django.core.management import execute_from_command_line

    from lifecycle_site.memory import collect_rarely
    from lifecycle_site.refusals import refused_in_one_line

    collect_rarely()
    with refused_in_one_line():
        execute_from_command_line(sys.argv)


if __name__ == "__main__":
    main()
