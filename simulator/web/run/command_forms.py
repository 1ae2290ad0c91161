"""A user's act as a form: built from the fields that the act declares, validated, and converted to the engine's command."""

import shlex
from collections.abc import Mapping
from typing import Any

from django import forms
from django.conf import settings
from django.utils.translation import gettext as _

from simulator.engine.acts import all_acts
from simulator.engine.acts.all_acts import AnyCommand
from simulator.engine.acts.form import CHOICE, NUMBER, SWITCH, WORDS, Form, FormField
from simulator.web.base.fields import NumberField


class WordsField(forms.CharField):
    """The words of a command line, quoted as a shell would."""

    def clean(self, value: Any) -> Any:
        """The words as a tuple. Raises ValidationError if a quotation mark is not closed."""
        try:
            return tuple(shlex.split(super().clean(value)))
        except ValueError:
            raise forms.ValidationError(_("A quotation mark is not closed.")) from None


def _form_field(field: FormField) -> forms.Field:
    label = _(field.label) if field.label else None
    if field.type == NUMBER:
        return NumberField(required=False, min_value=field.minimum, max_value=field.maximum, label=label)
    if field.type == SWITCH:
        return forms.BooleanField(required=False, label=label)
    if field.type == CHOICE:
        choices = [(choice, choice) for choice in field.choices]
        if all(isinstance(choice, int) for choice in field.choices):
            return forms.TypedChoiceField(required=False, choices=choices, coerce=int, empty_value=None, label=label)
        return forms.ChoiceField(required=False, choices=choices, label=label)
    return (WordsField if field.type == WORDS else forms.CharField)(required=False, max_length=field.limit, label=label)


class CommandForm(forms.Form):
    """A user's act, whose tag is ``do``; the other fields are the act's. ``command()`` is the engine's command.

    It is given at the past moment ``at_ms`` or after record ``at_seq``, or at ``run_to_ms``, to which the run advances first.
    """

    do = forms.ChoiceField(choices=[])
    client_key = forms.RegexField(r"^[A-Za-z0-9-]{8,64}\Z")
    at_seq = NumberField(required=False, min_value=0)
    at_ms = NumberField(required=False, min_value=0, max_value=settings.SIM_RUN_MS_MAX)
    run_to_ms = NumberField(required=False, min_value=0, max_value=settings.SIM_RUN_MS_MAX)

    def __init__(self, data: Mapping[str, Any]) -> None:
        super().__init__(data)
        choices = self.fields["do"]
        assert isinstance(choices, forms.ChoiceField)
        # For each form and not at import, because acts are registered when their modules are loaded.
        choices.choices = [(act.do, act.do) for act in all_acts.ACTS if act.form is not None]
        self._act = all_acts.ACTS.named(str(data.get("do", "")))
        for field in self._form.fields:
            self.fields[field.name] = _form_field(field)

    @property
    def _form(self) -> Form:
        return (self._act.form if self._act is not None else None) or Form(())

    def clean(self) -> dict[str, Any]:
        """Refuse an act that lacks a field it needs."""
        fields = super().clean() or {}
        for name in self._form.needed(fields):
            if fields.get(name) in (None, "", ()) and name not in self.errors:
                self.add_error(name, _("This field is required."))
        return fields

    def command(self) -> AnyCommand:
        """The command of a valid form."""
        assert self._act is not None
        return self._form.command(self._act.command, self.cleaned_data)
