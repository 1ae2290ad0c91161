"""The base of all commands."""

from msgspec import Struct


class Command(Struct, frozen=True, kw_only=True, tag_field="do", forbid_unknown_fields=True):
    """Base of all commands; the JSON field ``do`` tells them apart."""
