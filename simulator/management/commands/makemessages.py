"""Django's makemessages with translations sorted by msgid, and without fuzzy guesses."""

from django.core.management.commands import makemessages


class Command(makemessages.Command):
    """``manage.py makemessages``, as ``make messages`` runs it.

    Because of the sorting, entries do not move when their sources do. A msgid without a translation keeps an empty one: a fuzzy guess would
    have to be found and removed by hand.
    """

    msgmerge_options = [*makemessages.Command.msgmerge_options, "--no-fuzzy-matching", "--sort-output"]
