"""The translation of our own sentences: the only place where manifests depend on the web framework.

The messages of the API server and of kubectl are never translated.
"""

from django.utils.translation import get_language, gettext_noop
from django.utils.translation import gettext as _

__all__ = ["_", "get_language", "gettext_noop"]
