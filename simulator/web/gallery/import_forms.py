"""The form of "Bring your own pod": a text or a file, and the few choices an import leaves open."""

import json
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from simulator.engine.containers import BadBehaviour, parse_block
from simulator.engine.kernel.units import Ms
from simulator.imports.moments import BadMoment, moment
from simulator.imports.read import LIMITS
from simulator.manifests.read.loader import load
from simulator.web.base.fields import VERSIONS, SeedField, UploadField, VersionField

Blocks = dict[str, dict[str, Any]]


class ImportForm(forms.Form):
    """kubectl's output, pasted or as a file; the file takes precedence."""

    text = forms.CharField(
        label=_("Output of kubectl get pod,events -o yaml, or of kubectl describe pod"),
        required=False,
        strip=False,
        widget=forms.Textarea(attrs={"rows": 20, "spellcheck": "false", "autocomplete": "off", "class": "textarea", "id": "id_manifest"}),
    )
    upload = UploadField(label=_("Or a file"), accept=".yaml,.yml,.json,.txt")
    kubernetes = VersionField(choices=[("", _("as in the text")), *VERSIONS], required=False)
    moment = forms.CharField(
        label=_("Captured at"),
        required=False,
        max_length=40,
        help_text=_("A time such as 2026-01-01T12:00:00Z. If empty, the latest time in the text."),
        widget=forms.TextInput(attrs={"class": "input", "spellcheck": "false", "autocomplete": "off"}),
    )
    seed = SeedField()
    behaviours = forms.CharField(
        label=_("What the containers do from here"),
        required=False,
        strip=False,
        max_length=100_000,
        help_text=_("By pod and container, in YAML. If empty, as inferred from the text."),
        widget=forms.Textarea(attrs={"rows": 8, "spellcheck": "false", "autocomplete": "off", "class": "textarea"}),
    )

    def options(self) -> list[forms.BoundField]:
        """The small fields."""
        return [self[name] for name in ("kubernetes", "moment", "seed")]

    def clean(self) -> dict[str, Any]:
        """Take the text from the field or the file."""
        fields = super().clean() or {}
        upload = fields.get("upload")
        if upload is not None and upload.size > LIMITS.bytes_max:
            self.add_error("upload", _("The file is too large."))
        elif upload is not None:
            fields["text"] = upload.read().decode("utf-8", "replace")
        fields["text"] = str(fields.get("text") or "").replace("\r\n", "\n")
        if not fields["text"].strip() and not self.errors:
            self.add_error("text", _("Paste the kubectl output, or choose a file."))
        return fields

    def clean_moment(self) -> Ms | None:
        """Milliseconds since the Unix epoch, or None."""
        try:
            return moment(str(self.cleaned_data["moment"]).strip())
        except BadMoment as bad:
            raise forms.ValidationError(str(bad)) from None

    def clean_behaviours(self) -> Blocks:
        """Behaviour blocks by pod and container."""
        text = str(self.cleaned_data["behaviours"])
        if not text.strip():
            return {}
        loaded = load(text.replace("\r\n", "\n"))
        value = loaded.documents[0].value if len(loaded.documents) == 1 and not loaded.problems else None
        if not isinstance(value, dict) or not all(isinstance(part, dict) for part in value.values()):
            raise forms.ValidationError(_("This is not a YAML map of pods and their containers."))
        for pod, blocks in value.items():
            for name, block in blocks.items():
                try:
                    # The engine's own check, so that a bad block never gets into a header.
                    parse_block(json.dumps(block))
                except (BadBehaviour, TypeError) as bad:
                    raise forms.ValidationError(f"{pod}/{name}: {bad}") from None
        return value
