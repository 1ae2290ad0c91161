"""The form for a moment, used by the URLs and forms of several pages."""

from django import forms
from django.conf import settings

from simulator.kubectl.kubectl import LINE_MAX
from simulator.web.base.fields import NamespaceField, NumberField


class MomentForm(forms.Form):
    """A moment of a run, as pages send it."""

    t = NumberField(required=False, min_value=0, max_value=settings.SIM_RUN_MS_MAX)
    seq = NumberField(required=False, min_value=0)
    sel = forms.CharField(required=False, max_length=700)
    rec = NumberField(required=False, min_value=0)
    tab = forms.RegexField(r"^[a-z]{1,12}\Z", required=False)
    v = forms.RegexField(r"^-?[0-9]{1,12}_[0-9]{1,12}\Z", required=False)
    fold = forms.CharField(required=False, max_length=700)
    open = forms.CharField(required=False, max_length=700)
    q = forms.CharField(required=False, max_length=200)
    sort = forms.ChoiceField(required=False, choices=[("trouble", "trouble")])
    range = forms.RegexField(r"^[0-9]{1,12}_[0-9]{1,12}\Z", required=False)
    notes = forms.CharField(required=False, max_length=1200)
    clock = forms.ChoiceField(required=False, choices=[("wall", "wall"), ("selection", "selection")])
    old = forms.ChoiceField(required=False, choices=[("0", "0")])
    pins = forms.CharField(required=False, max_length=600)
    k = forms.CharField(required=False, max_length=LINE_MAX)
    did = NumberField(required=False, min_value=0)
    ns = NamespaceField(required=False)
    part = forms.RegexField(r"^[a-z_0-9.-]{1,80}\Z", required=False)
    pin = NumberField(required=False, min_value=0, max_value=settings.SIM_RUN_MS_MAX)
    noise = forms.BooleanField(required=False)
