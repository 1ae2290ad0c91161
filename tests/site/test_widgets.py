import re

import pytest
from django import forms
from django.forms.renderers import DjangoTemplates

from lifecycle_site.widgets import WRITTEN, PlainWidgets
from simulator.web.gallery.new_run_form import NewRunForm
from simulator.web.sweeps.sweep_forms import SweepManifestForm

GAPS = re.compile(r"\s+<(?=option|optgroup|/optgroup|/select)")
"""Line breaks that templates leave between options."""
VERSIONS = (("1.33", "1.33"), ("older", (("1.20", "<1.20>"), ("1.21", "1.21"))))


class Everything(forms.Form):
    """Each plain widget, with and without a value, an attribute that stands alone, and text that HTML would read."""

    name = forms.CharField(initial='"<b>', max_length=7)
    empty = forms.CharField(required=False)
    amount = forms.IntegerField(initial=1234567, min_value=1)
    sure = forms.BooleanField(initial=True)
    unsure = forms.BooleanField(required=False)
    hidden = forms.CharField(widget=forms.HiddenInput, initial="&")
    text = forms.CharField(widget=forms.Textarea(attrs={"spellcheck": "false", "autofocus": True, "disabled": False}), initial="\na < b")
    version = forms.ChoiceField(choices=VERSIONS, initial="1.21")
    several = forms.MultipleChoiceField(choices=VERSIONS, initial=["1.33", "1.20"])


FORMS = {
    "everything": lambda **more: Everything(**more),
    "everything, sent with errors": lambda **more: Everything({"name": "far too long", "version": "9", "text": "</textarea>"}, **more),
    "a new run": lambda **more: NewRunForm(**more),
    "a sweep": lambda **more: SweepManifestForm(**more),
}


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_widgets_say_what_their_templates_say(form):
    by_templates, written = form(renderer=DjangoTemplates()), form(renderer=PlainWidgets())
    pairs = [(GAPS.sub("<", str(field)), str(written[field.name])) for field in by_templates]
    assert pairs and all(one == other for one, other in pairs)


def test_first_line_break_of_a_text_stays():
    assert ">\n\na &lt; b</textarea>" in str(Everything(renderer=PlainWidgets())["text"]).replace("\r", "")


def test_forms_of_the_site_read_no_template_for_a_plain_widget(monkeypatch):
    read = []
    monkeypatch.setattr(DjangoTemplates, "get_template", lambda self, name: read.append(name))
    assert "<select" in str(NewRunForm()["kubernetes"])
    assert not read


def test_what_is_written_covers_each_plain_input():
    inputs = {forms.TextInput, forms.NumberInput, forms.HiddenInput, forms.CheckboxInput, forms.Select, forms.Textarea}
    assert {each.template_name for each in inputs} <= WRITTEN.keys()
