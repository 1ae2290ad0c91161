"""Form widgets without templates: what Django's templates of the plain widgets say, written in Python.

Django renders each widget, and each option of a selection, from a template that includes others, which was half the work of the page with
the form for a new run. Other widgets, such as those of the admin pages, are rendered from their templates as usual.
"""

from collections.abc import Callable
from typing import Any

from django.forms.renderers import DjangoTemplates
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

Widget = dict[str, Any]
"""What a widget's ``get_context`` gives its template as ``widget``."""


class PlainWidgets(DjangoTemplates):
    """A form renderer that writes plain widgets itself."""

    def render(self, template_name: str, context: dict[str, Any], request: Any = None) -> str:
        """The HTML of a widget, or of a whole form."""
        write = WRITTEN.get(template_name)
        return write(context["widget"]) if write else super().render(template_name, context, request)


def _attributes(attrs: dict[str, Any]) -> SafeString:
    """Attributes in their order, each after a space; one that is True stands alone, and one that is False does not stand there."""
    said = ((f" {name}", "" if value is True else format_html('="{}"', value)) for name, value in attrs.items() if value is not False)
    return format_html_join("", "{}{}", said)


def _select(widget: Widget) -> SafeString:
    groups = ((name, format_html_join("", "{}", ((_option(option),) for option in options))) for name, options, _ in widget["optgroups"])
    parts = ((format_html('<optgroup label="{}">{}</optgroup>', name, options) if name else options,) for name, options in groups)
    return format_html('<select name="{}"{}>{}</select>', widget["name"], _attributes(widget["attrs"]), format_html_join("", "{}", parts))


def _option(option: Widget) -> SafeString:
    return format_html('<option value="{}"{}>{}</option>', option["value"], _attributes(option["attrs"]), option["label"])


def _textarea(widget: Widget) -> SafeString:
    # A browser drops the first line break within a textarea.
    return format_html('<textarea name="{}"{}>\n{}</textarea>', widget["name"], _attributes(widget["attrs"]), widget["value"] or "")


def _input(widget: Widget) -> SafeString:
    value = {} if widget["value"] is None else {"value": str(widget["value"])}
    return format_html('<input type="{}" name="{}"{}>', widget["type"], widget["name"], _attributes(value | widget["attrs"]))


WRITTEN: dict[str, Callable[[Widget], SafeString]] = {
    "django/forms/widgets/select.html": _select,
    "django/forms/widgets/textarea.html": _textarea,
    **{f"django/forms/widgets/{kind}.html": _input for kind in ("input", "text", "number", "checkbox", "hidden")},
}
"""Templates that are not read, and what is written instead."""
