"""Columns of texts: the last door before the database, which refuses NUL and lone surrogates and, on PostgreSQL, what is too long.

What people write is cleaned where it comes in (``engine/kernel/outside_text.py``). A text that came another way, such as the message of
an error that quotes a manifest, is stored with U+FFFD in their place and without its end rather than lost with a 500.
For migrations these are Django's own columns.
"""

from typing import TYPE_CHECKING, Any

from django.db import models

from simulator.engine.kernel.outside_text import storable


class _Storable:
    """What the kinds of columns share. Looking a text up cleans it as storing it does, and cuts nothing."""

    max_length: int | None

    def get_prep_value(self, value: Any) -> Any:
        """The value without what no database takes."""
        prepared = super().get_prep_value(value)  # type: ignore[misc]
        return storable(prepared) if isinstance(prepared, str) else prepared

    def get_db_prep_save(self, value: Any, connection: Any) -> Any:
        """The value as long as the column is."""
        kept = value[: self.max_length] if isinstance(value, str) and self.max_length else value
        return super().get_db_prep_save(kept, connection)  # type: ignore[misc]

    def deconstruct(self) -> Any:
        """Django's column of the kind."""
        name, _path, args, kwargs = super().deconstruct()  # type: ignore[misc]
        return name, f"django.db.models.{type(self).__name__}", args, kwargs


if TYPE_CHECKING:  # the types of their values are known of Django's own columns alone
    from django.db.models import CharField, SlugField, TextField, URLField
else:

    class CharField(_Storable, models.CharField):
        """Texts of at most ``max_length`` characters."""

    class SlugField(_Storable, models.SlugField):
        """Names in addresses."""

    class URLField(_Storable, models.URLField):
        """Addresses."""

    class TextField(_Storable, models.TextField):
        """Texts of any length."""


__all__ = ["CharField", "SlugField", "TextField", "URLField"]
