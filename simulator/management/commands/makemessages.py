"""Django's makemessages with translations in the order of their msgids, none of them guessed."""

from django.core.management.commands import makemessages


class Command(makemessages.Command):
    """``manage.py makemessages``, as ``make messages`` runs it.

    Sorted, a text stays where it is when the source that says it moves. A msgid without a translation keeps an empty one: a fuzzy guess
    would have to be found and removed by hand.
    """

    msgmerge_options = [*makemessages.Command.msgmerge_options, "--no-fuzzy-matching", "--sort-output"]
