"""The translation of our own sentences: the only place where manifests touch the web framework.

The words of the API server and of kubectl are never translated.
"""

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

__all__ = ["_", "gettext_noop"]
