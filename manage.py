#!/usr/bin/env python
"""Django's command line for Podscope."""

import gc
import os
import sys

NEW_OBJECTS = 50_000
"""So many new objects until the collector looks. A world's rows have no cycles: looking at every 700 costs a tenth of a run."""


def main() -> None:
    """Run the command named on the command line."""
    gc.set_threshold(NEW_OBJECTS, 20, 20)
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "lifecycle_site.settings")
    from django.core.management import execute_from_command_line

    from lifecycle_site.refusals import refused_in_one_line

    with refused_in_one_line():
        execute_from_command_line(sys.argv)


if __name__ == "__main__":
    main()
