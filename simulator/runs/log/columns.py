"""Text columns: the last check before the database, which rejects NUL and lone surrogates and, on PostgreSQL, texts that are too long.

Text from outside is cleaned on arrival (``engine/kernel/outside_text.py``). Text that comes some other way, such as an error message that
quotes a manifest, is stored with U+FFFD in place of such characters and, if it is prose, truncated, rather than failing with a 500. A key
or a hash by which rows are looked up is never truncated: the stored value would no longer match.
In migrations these appear as Django's own columns.
"""

from typing import TYPE_CHECKING, Any

from django.db import models

from simulator.engine.kernel.outside_text import storable


class TooLong(ValueError):
    """A lookup value is longer than its column, which is a bug in the code that made it."""


class _Storable:
    """What the columns have in common. A text is cleaned the same way for lookups as for storing, but never truncated."""

    max_length: int | None
    model: type[models.Model]
    attname: str

    def get_prep_value(self, value: Any) -> Any:
        """The value without characters that no database accepts."""
        prepared = super().get_prep_value(value)  # type: ignore[misc]
        return storable(prepared) if isinstance(prepared, str) else prepared

    def get_db_prep_save(self, value: Any, connection: Any) -> Any:
        """The value, fitted to the length of the column. Raises TooLong."""
        if isinstance(value, str) and self.max_length and len(value) > self.max_length:
            value = self.shortened(value)
        return super().get_db_prep_save(value, connection)  # type: ignore[misc]

    def shortened(self, value: str) -> str:
        """Shorten a text that is too long. Raises TooLong if that would make it a different text."""
        name = f"{self.model.__name__}.{self.attname}"
        raise TooLong(f"{name} holds {self.max_length} characters, and a text of {len(value)} was to be stored: {value[:40]!r}…")

    def deconstruct(self) -> Any:
        """Deconstruct as Django's own column."""
        name, _path, args, kwargs = super().deconstruct()  # type: ignore[misc]
        own = next(kind for kind in type(self).__mro__ if kind in _OF_DJANGO)
        return name, f"django.db.models.{own.__name__}", args, kwargs


_OF_DJANGO = (models.CharField, models.SlugField, models.URLField, models.TextField)


if TYPE_CHECKING:  # the types of their values are known of Django's own columns alone
    from django.db.models import CharField, SlugField, TextField, URLField
    from django.db.models import CharField as ProseField
else:

    class CharField(_Storable, models.CharField):
        """Texts of at most ``max_length`` characters that rows are looked up by."""

    class ProseField(CharField):
        """Texts that people read. They are truncated to ``max_length``."""

        def shortened(self, value: str) -> str:
            """The first ``max_length`` characters."""
            return value[: self.max_length]

    class SlugField(_Storable, models.SlugField):
        """Names in URLs."""

    class URLField(_Storable, models.URLField):
        """URLs."""

    class TextField(_Storable, models.TextField):
        """Texts of any length."""


__all__ = ["CharField", "ProseField", "SlugField", "TextField", "TooLong", "URLField"]
