"""Fields of forms that take numbers: the only ones that do, so that all of them have one grammar and bounds (``kernel/bounded.py``)."""

from decimal import Decimal
from typing import Any

from django import forms
from django.core.exceptions import ValidationError

from simulator.engine.kernel.bounded import SEQ_MAX, milliseconds, whole_number

_WIDEST = 10**18


class NumberField(forms.IntegerField):
    """A whole number in ASCII digits, from ``min_value`` (0) to ``max_value`` (what the database counts records to)."""

    def __init__(self, *, min_value: int = 0, max_value: int = SEQ_MAX, **kwargs: Any) -> None:
        super().__init__(min_value=min_value, max_value=max_value, **kwargs)

    def to_python(self, value: Any) -> int | None:
        """The number, None for an empty text. Raises ValidationError."""
        if value in self.empty_values:
            return None
        number = whole_number(str(value).strip(), least=-_WIDEST, most=_WIDEST)
        if number is None:
            raise ValidationError(self.error_messages["invalid"], code="invalid")
        return number


class SecondsField(forms.DecimalField):
    """A moment in seconds such as ``12.5``, of at most ``most_ms``; its value is in milliseconds."""

    def __init__(self, *, most_ms: int, **kwargs: Any) -> None:
        super().__init__(min_value=0, decimal_places=3, **kwargs)
        self.most_ms = most_ms

    def to_python(self, value: Any) -> Decimal | None:  # type: ignore[override]
        """The milliseconds, None for an empty text. Raises ValidationError."""
        if value in self.empty_values:
            return None
        ms = milliseconds(str(value).strip(), most=self.most_ms)
        if ms is None:
            raise ValidationError(self.error_messages["invalid"], code="invalid")
        return Decimal(ms)
