"""The form of a sweep: field, values, seeds, outcome and time.

Field, values and outcome are checked by the code that parses them; its error names the part that is wrong, and PLACES
maps that to a field of the form.
"""

from typing import Any

from django import forms
from django.conf import settings
from django.utils.translation import gettext_lazy as _

from simulator.engine import RunHeader, Stamped
from simulator.headless.sweeps.fields import ABSENT, WRITTEN, BadSweptField, NumericField, field_of
from simulator.headless.sweeps.outcomes import OUTCOMES
from simulator.headless.sweeps.sweep import BadSweep, Sweep, SweepPlan, values_of
from simulator.web.base.fields import ManifestField, NumberField, VersionField

SECONDS_MAX = 3600
SEEDS_DEFAULT = 10
PLACES = {"field": "field", "values": "first", "seeds": "seeds", "outcome": "outcome", "until": "seconds"}
"""The form's field for each part of a sweep."""
_LIKELY = ("readinessProbe.periodSeconds", "livenessProbe.failureThreshold", "preStop.sleep.seconds", "terminationGracePeriodSeconds")
"""The fields that people are most likely to be interested in."""


def _text(width: str, **attrs: str) -> forms.TextInput:
    return forms.TextInput(attrs={"class": f"input {width}".strip(), "autocomplete": "off", "spellcheck": "false", **attrs})


class SweepForm(forms.Form):
    """The definition of a sweep. ``sweep`` builds it for a header, and attaches errors to their fields."""

    field = forms.CharField(label=_("Field"), max_length=400, widget=_text("", list="sweep-fields"))
    first = forms.CharField(label=_("From"), max_length=40, widget=_text("input--short"))
    last = forms.CharField(label=_("To"), max_length=40, required=False, widget=_text("input--short"))
    step = forms.CharField(label=_("Step"), max_length=40, required=False, widget=_text("input--short"))
    seeds = NumberField(
        label=_("Seeds"),
        min_value=1,
        max_value=1000,
        widget=forms.NumberInput(attrs={"class": "input input--short"}),
        help_text=_("1 … N"),
    )
    outcome = forms.ChoiceField(
        label=_("Outcome"),
        choices=lambda: [(known.name, _(known.title)) for known in OUTCOMES],
        widget=forms.Select(attrs={"class": "select"}),
    )
    argument = forms.CharField(label=_("Which"), max_length=80, required=False, widget=_text("", list="sweep-arguments"))
    pod = forms.CharField(label=_("Pods"), max_length=253, required=False, widget=_text("", placeholder="*"))
    seconds = NumberField(
        label=_("Seconds per run"),
        min_value=1,
        max_value=SECONDS_MAX,
        widget=forms.NumberInput(attrs={"class": "input input--short"}),
    )

    @property
    def values_fields(self) -> list[forms.BoundField]:
        """From, to, step and seeds."""
        return [self[name] for name in ("first", "last", "step", "seeds")]

    @property
    def outcome_fields(self) -> list[forms.BoundField]:
        """What is measured, on which pods, and for how long."""
        return [self[name] for name in ("outcome", "argument", "pod", "seconds")]

    def sweep(self, header: RunHeader, commands: tuple[Stamped, ...]) -> Sweep | None:
        """The sweep of that run for a valid form; None, with errors at the fields, if it cannot be made."""
        values = self.cleaned_data
        try:
            field = field_of(header, values["field"])
            argument = values["argument"].strip()
            sweep = Sweep(
                header=header,
                commands=commands,
                field=field.text,
                values=values_of(self._values(), field),
                seeds=tuple(range(1, values["seeds"] + 1)),
                outcome=f"{values['outcome']}:{argument}" if argument else values["outcome"],
                pod="" if values["pod"].strip() == "*" else values["pod"].strip(),
                until_ms=values["seconds"] * 1000,
            )
            SweepPlan(sweep)
        except BadSweptField as error:
            self.add_error("field", str(error))
        except BadSweep as error:
            at_argument = error.part == "outcome" and values["outcome"] in {known.name for known in OUTCOMES}
            self.add_error("argument" if at_argument else PLACES[error.part], str(error))
        else:
            return sweep
        return None

    def _values(self) -> str:
        values = self.cleaned_data
        last = values["last"].strip()
        if not last:
            return str(values["first"])
        return f"{values['first']}..{last}" + (f"/{values['step'].strip()}" if values["step"].strip() else "")


class SweepManifestForm(SweepForm):
    """A sweep of pasted manifests."""

    manifest = ManifestField(label=_("Manifests"))
    kubernetes = VersionField()

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["manifest"].widget.attrs["rows"] = 16


def opening(fields: tuple[NumericField, ...], asked: dict[str, Any], *, has_load: bool = False) -> dict[str, Any]:
    """The initial values of the form: a likely field, with values around its current one; ``asked`` takes precedence.

    ``has_load``: a Service has a declared load, so the outcome for a hook's sleep is failed requests.
    """
    likely = next((field for tail in _LIKELY for field in fields if field.path.endswith(tail)), None)
    likely = likely or next((field for field in fields if field.state == WRITTEN), fields[0] if fields else None)
    shown = {"seeds": SEEDS_DEFAULT, "seconds": 120, "outcome": OUTCOMES[0].name}
    if likely is not None:
        now = likely.value if isinstance(likely.value, int) and likely.state != ABSENT else 0
        last = max(10, 2 * now)
        first = 1 if now else 0
        shown |= {"field": likely.text, "first": str(first), "last": str(last), "step": str(max(1, (last - first) // 10))}
        if "livenessProbe" in likely.path:
            shown["outcome"] = "restarts"
        elif likely.path.endswith("sleep.seconds") and has_load:
            shown["outcome"] = "failed-requests"
        elif likely.path.endswith(("terminationGracePeriodSeconds", "sleep.seconds")):
            shown["outcome"] = "time-to-gone"
    return shown | asked


def limits() -> dict[str, int]:
    """The site's limits, for the page."""
    return {"cells_max": settings.SIM_SWEEP_CELLS_MAX, "seconds_max": SECONDS_MAX}
