"""Form fields shared by several forms. All numbers go through these, so that they have one grammar and limits (``kernel/bounded.py``)."""

from decimal import Decimal
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.core.validators import ProhibitNullCharactersValidator
from django.utils.translation import gettext_lazy as _

from simulator.engine.kernel.bounded import SEQ_MAX, milliseconds, whole_number
from simulator.engine.versions import MINORS
from simulator.engine.versions.patches import patch_of
from simulator.kubectl.context import NAMESPACE

SEED_MAX = 2**31 - 1
VERSIONS = tuple((minor, f"{minor} ({patch_of(minor)})") for minor in reversed(MINORS))
_WIDEST = 10**18


class NumberField(forms.IntegerField):
    """A whole number in ASCII digits, from ``min_value`` (default 0) to ``max_value`` (default: the largest record number)."""

    def __init__(self, *, min_value: int = 0, max_value: int = SEQ_MAX, **kwargs: Any) -> None:
        super().__init__(min_value=min_value, max_value=max_value, **kwargs)

    def to_python(self, value: Any) -> int | None:
        """The number, or None if empty. Raises ValidationError."""
        if value in self.empty_values:
            return None
        number = whole_number(str(value).strip(), least=-_WIDEST, most=_WIDEST)
        if number is None:
            raise ValidationError(self.error_messages["invalid"], code="invalid")
        return number


class NamespaceField(forms.RegexField):
    """The namespace of a kubectl line's context: a name that a namespace can have, or empty for the run's own."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(rf"^{NAMESPACE.pattern}\Z", **kwargs)


class SecondsField(forms.DecimalField):
    """A moment in seconds such as ``12.5``, at most ``most_ms``; its value is in milliseconds."""

    def __init__(self, *, most_ms: int, **kwargs: Any) -> None:
        super().__init__(min_value=0, decimal_places=3, **kwargs)
        self.most_ms = most_ms

    def to_python(self, value: Any) -> Decimal | None:  # type: ignore[override]
        """The milliseconds, or None if empty. Raises ValidationError."""
        if value in self.empty_values:
            return None
        ms = milliseconds(str(value).strip(), most=self.most_ms)
        if ms is None:
            raise ValidationError(self.error_messages["invalid"], code="invalid")
        # The field's own validators need a Decimal; its unit is milliseconds from here on.
        return Decimal(ms)


class ManifestField(forms.CharField):
    """A text area for YAML. Line endings become plain newlines so that line numbers are right, and nothing is stripped.

    Its size and characters are checked, like everything else, by ``check_text``, which names the line.
    """

    def __init__(self, **kwargs: Any) -> None:
        attrs = {"rows": 24, "spellcheck": "false", "autocomplete": "off", "class": "textarea", "data-editor": ""}
        kwargs.setdefault("widget", forms.Textarea(attrs=attrs))
        kwargs.setdefault("error_messages", {"required": _("Paste at least one manifest.")})
        super().__init__(strip=False, **kwargs)
        # check_text reports a null character with its line; Django's validator would only say that there is one.
        self.validators = [known for known in self.validators if not isinstance(known, ProhibitNullCharactersValidator)]

    def to_python(self, value: Any) -> str:
        """The text with plain newlines."""
        return (super().to_python(value) or "").replace("\r\n", "\n")


class UploadField(forms.FileField):
    """A file of one of the accepted types, labelled in the page's language: the browser's own label would be in the browser's language."""

    def __init__(self, *, label: Any, accept: str) -> None:
        words = {"data-choose": _("Choose a file"), "data-none": _("No file chosen")}
        super().__init__(label=label, required=False, widget=forms.FileInput(attrs={"accept": accept, **words}))


class SeedField(NumberField):
    """The seed of a run; empty for a random one."""

    def __init__(self, **kwargs: Any) -> None:
        kwargs.setdefault("widget", forms.NumberInput(attrs={"class": "input"}))
        super().__init__(
            label=_("Seed"), min_value=0, max_value=SEED_MAX, required=False, help_text=_("The same seed gives the same run."), **kwargs
        )


class VersionField(forms.ChoiceField):
    """A Kubernetes version, newest first."""

    def __init__(self, **kwargs: Any) -> None:
        kwargs.setdefault("choices", VERSIONS)
        kwargs.setdefault("widget", forms.Select(attrs={"class": "select"}))
        super().__init__(
            label=_("Kubernetes version"), help_text=_("Each minor version behaves like the patch release in brackets."), **kwargs
        )
