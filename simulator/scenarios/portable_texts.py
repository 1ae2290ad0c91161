"""The texts allowed in a scenario file: valid Kubernetes names, JSON that is not nested too deeply, acts of limited size.

A text sent by a page is limited by its form; in a file there could be anything.
"""

import re
from collections.abc import Iterator
from typing import Any

from django.utils.translation import gettext as _

from simulator.engine.acts.all_acts import ACTS
from simulator.engine.acts.form import TEXT
from simulator.engine.apiserver.validation.names import (
    label_problems,
    label_value_problems,
    qualified_name_problems,
    subdomain_problems,
)
from simulator.engine.kernel.json_text import DEPTH_MAX, is_too_deep
from simulator.engine.kernel.outside_text import storable
from simulator.engine.world.cluster import NodeSpec

_SHOWN = 40
SLUG_MAX = 50
_SLUG = re.compile(r"[-a-zA-Z0-9_]{1,50}", re.ASCII)


def too_deep_problem(place: str) -> str:
    """The message for a text that is nested too deeply. An empty ``place`` means the file itself."""
    message = _("lists and objects are nested more than %(most)d levels deep") % {"most": DEPTH_MAX}
    return f"{place}: {message}" if place else message


def deep_texts(value: Any, place: str = "") -> Iterator[str]:
    """A problem for every text in a decoded file that is JSON nested too deeply. O(value), which itself is nested less deeply."""
    if isinstance(value, str):
        if value.lstrip()[:1] in ("{", "[") and is_too_deep(value):
            yield too_deep_problem(place)
    elif isinstance(value, dict):
        for name, item in value.items():
            yield from deep_texts(item, f"{place}.{name}" if place else name)
    elif isinstance(value, list):
        for n, item in enumerate(value):
            yield from deep_texts(item, f"{place}[{n}]")


def name_problems(namespace: str, scenario: str) -> Iterator[str]:
    """What is wrong with the names at the top of a file."""
    for problem in label_problems(namespace):
        yield f"namespace: {problem}"
    if scenario and _SLUG.fullmatch(scenario) is None:
        yield _("scenario: at most %(most)d letters, digits and dashes.") % {"most": SLUG_MAX}


def node_problems(place: str, node: NodeSpec) -> Iterator[str]:
    """What an API server would report about a node's name, labels and taints."""
    for problem in subdomain_problems(node.name):
        yield f"{place}.name: {problem}"
    for key, value in node.labels.items():
        for problem in (*qualified_name_problems(key), *label_value_problems(value)):
            yield f"{place}.labels.{key[:_SHOWN]}: {problem}"
    for n, taint in enumerate(node.taints):
        key, _sign, rest = taint.partition("=")
        for problem in (*qualified_name_problems(key), *label_value_problems(rest.rpartition(":")[0])):
            yield f"{place}.taints[{n}]: {problem}"


def act_problems(place: str, row: dict[str, Any]) -> Iterator[str]:
    """Texts of an act that no form would have accepted."""
    act = ACTS.named(str(row.get("do")))
    fields = act.form.fields if act is not None and act.form is not None else ()
    limits = {field.name: field.limit for field in fields if field.type == TEXT}
    for name, value in row.items():
        if isinstance(value, str) and len(value) > limits.get(name, len(value)):
            yield _("%(place)s: at most %(most)d characters.") % {"place": f"{place}.{name}", "most": limits[name]}
        if any(storable(text) != text for text in (value if isinstance(value, list) else [value]) if isinstance(text, str)):
            yield _("%(place)s: character U+0000 is not allowed.") % {"place": f"{place}.{name}"}
