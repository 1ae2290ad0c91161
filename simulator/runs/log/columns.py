"""Columns of texts: the last door before the database, which refuses NUL and lone surrogates and, on PostgreSQL, what is too long.

What people write is cleaned where it comes in (``engine/kernel/outside_text.py``). A text that came another way, such as the message of
an error that quotes a manifest, is stored with U+FFFD in their place and, where it is prose, without its end rather than lost with a
500. What something is found by, such as a key or a hash, is never cut: what is stored would be another one than what is looked for.
For migrations these are Django's own columns.
"""

from typing import TYPE_CHECKING, Any

from django.db import models

from simulator.engine.kernel.outside_text import storable


class TooLong(ValueError):
    """A text that something is found by is longer than its column. Whoever makes such texts bounds them."""


class _Storable:
    """What the kinds of columns share. Looking a text up cleans it as storing it does, and cuts nothing."""

    max_length: int | None
    model: type[models.Model]
    attname: str

    def get_prep_value(self, value: Any) -> Any:
        """The value without what no database takes."""
        prepared = super().get_prep_value(value)  # type: ignore[misc]
        return storable(prepared) if isinstance(prepared, str) else prepared

    def get_db_prep_save(self, value: Any, connection: Any) -> Any:
        """The value, as long as the column is. Raises TooLong."""
        if isinstance(value, str) and self.max_length and len(value) > self.max_length:
            value = self.shortened(value)
        return super().get_db_prep_save(value, connection)  # type: ignore[misc]

    def shortened(self, value: str) -> str:
        """What is stored of a text that is too long. Raises TooLong where that would be another text."""
        name = f"{self.model.__name__}.{self.attname}"
        raise TooLong(f"{name} holds {self.max_length} characters, and a text of {len(value)} was to be stored: {value[:40]!r}…")

    def deconstruct(self) -> Any:
        """Django's column of the kind."""
        name, _path, args, kwargs = super().deconstruct()  # type: ignore[misc]
        own = next(kind for kind in type(self).__mro__ if kind in _OF_DJANGO)
        return name, f"django.db.models.{own.__name__}", args, kwargs


_OF_DJANGO = (models.CharField, models.SlugField, models.URLField, models.TextField)


if TYPE_CHECKING:  # the types of their values are known of Django's own columns alone
    from django.db.models import CharField, SlugField, TextField, URLField
    from django.db.models import CharField as ProseField
else:

    class CharField(_Storable, models.CharField):
        """Texts of at most ``max_length`` characters that something is found by."""

    class ProseField(CharField):
        """Texts that people read. What is longer than ``max_length`` loses its end."""

        def shortened(self, value: str) -> str:
            """Its beginning."""
            return value[: self.max_length]

    class SlugField(_Storable, models.SlugField):
        """Names in addresses."""

    class URLField(_Storable, models.URLField):
        """Addresses."""

    class TextField(_Storable, models.TextField):
        """Texts of any length."""


__all__ = ["CharField", "ProseField", "SlugField", "TextField", "TooLong", "URLField"]
