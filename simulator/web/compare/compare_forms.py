"""Forms of the comparison page: how the runs are aligned, and moving a branch."""

from typing import Any

from django import forms
from django.conf import settings
from django.utils.translation import gettext_lazy as _

from simulator.web.base.fields import NumberField, SecondsField


class CompareForm(forms.Form):
    """How two runs are aligned: at a named event, or at a record of each; ``t`` is a moment after that zero."""

    align = forms.RegexField(r"^[A-Za-z0-9-]{1,60}\Z", required=False)
    a = NumberField(required=False, min_value=1)
    b = NumberField(required=False, min_value=1)
    t = NumberField(required=False, min_value=-settings.SIM_RUN_MS_MAX, max_value=settings.SIM_RUN_MS_MAX)
    sel = forms.CharField(required=False, max_length=700)
    noise = forms.BooleanField(required=False)


class MoveForm(forms.Form):
    """The moment (in ms or s) to which a branch's first act is moved, and the run ``against`` which it is shown on its ``side``."""

    at_ms = NumberField(required=False, min_value=0, max_value=settings.SIM_RUN_MS_MAX)
    at_s = SecondsField(required=False, most_ms=settings.SIM_RUN_MS_MAX)
    client_key = forms.RegexField(r"^[A-Za-z0-9-]{8,64}\Z")
    against = forms.UUIDField(required=False)
    side = forms.ChoiceField(required=False, choices=[("left", "left"), ("right", "right")])

    def clean(self) -> dict[str, Any]:
        """Put the moment into ``at_ms``, whether it was given in milliseconds or in seconds."""
        fields = super().clean() or {}
        if fields.get("at_ms") is None and fields.get("at_s") is not None:
            fields["at_ms"] = int(fields["at_s"])
        if fields.get("at_ms") is None and not self.errors:
            self.add_error("at_ms", _("This field is required."))
        return fields
