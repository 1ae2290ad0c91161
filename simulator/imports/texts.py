"""The translation of our own sentences: the only place where imports depend on the web framework."""

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

__all__ = ["_", "ngettext"]
