"""Fixes for values: types, ranges, enumerations, quantities."""

import json
import re
from collections.abc import Iterator
from difflib import get_close_matches

from simulator.engine.model.quantity import BadQuantity, parse
from simulator.manifests.editor.fixes.fixers import fix, fixer
from simulator.manifests.editor.fixes.page import Fix, Page, split_path
from simulator.manifests.problems import Problem
from simulator.manifests.texts import _

_BOOLS = {"true": "true", "yes": "true", "on": "true", "1": "true", "false": "false", "no": "false", "off": "false", "0": "false"}
_UNITS = {
    "b": "",
    "kb": "k",
    "mb": "M",
    "gb": "G",
    "tb": "T",
    "kib": "Ki",
    "mib": "Mi",
    "gib": "Gi",
    "tib": "Ti",
    "K": "k",
    "g": "G",
    "ki": "Ki",
}
_AMOUNT = re.compile(r"([0-9.]+)\s*([A-Za-z]*)")


@fixer("quote", "wrong-type")
def quote(problem: Problem, page: Page) -> Iterator[Fix | None]:
    """A number or boolean where a text is required."""
    node = page.node(problem.path)
    if problem.message.endswith("of type string") and node is not None and node.text and node.plain:
        yield fix(_("Put it in quotes"), page.set_value(problem.path, json.dumps(node.text)))


@fixer("unquote", "wrong-type")
def unquote(problem: Problem, page: Page) -> Iterator[Fix | None]:
    """A quoted number or boolean."""
    node = page.node(problem.path)
    text = (node.text or "").strip() if node is not None else ""
    # Matched by the decoder's message, which is never translated.
    if re.search(r"of type (int32|int64)$", problem.message) and re.fullmatch(r"-?[0-9]+", text):
        yield fix(_("Write it as the number %s") % text, page.set_value(problem.path, text))
    elif problem.message.endswith("of type bool") and text.lower() in _BOOLS:
        value = _BOOLS[text.lower()]
        yield fix(_("Write it as %s") % value, page.set_value(problem.path, value))


@fixer("whole-number", "wrong-type")
def whole_number(problem: Problem, page: Page) -> Iterator[Fix | None]:
    """Seconds with a unit, or a number with a fraction."""
    node = page.node(problem.path)
    text = (node.text or "").strip() if node is not None else ""
    if re.search(r"of type (int32|int64)$", problem.message) and (match := re.fullmatch(r"(-?[0-9]+)(?:\.[0-9]+|\s?s|\s?sec\w*)", text)):
        yield fix(_("Write it as the number %s") % match[1], page.set_value(problem.path, match[1]))


@fixer("make-list", "wrong-type")
def make_list(problem: Problem, page: Page) -> Iterator[Fix | None]:
    """A single text where a list of texts is required."""
    node = page.node(problem.path)
    if problem.message.endswith("of type []string") and node is not None and node.text:
        yield fix(_("Make it a list"), page.set_value(problem.path, json.dumps([node.text], ensure_ascii=False)))


@fixer("supported-value", words=r"supported values: \"")
def supported(problem: Problem, page: Page) -> Iterator[Fix | None]:
    """The supported values: the nearest one, or else all of a short list."""
    names = re.findall(r'"((?:[^"\\]|\\.)*)"', problem.message.split("supported values: ")[-1])
    node = page.node(problem.path)
    written = (node.text or "") if node is not None else ""
    lowered = {name.lower(): name for name in names}
    close = get_close_matches(written.lower(), lowered, n=1, cutoff=0.5)
    for name in [lowered[close[0]]] if close else names[:4]:
        yield fix(_("Use %s") % name, page.set_value(problem.path, name))


@fixer("into-range", words=r"must be (between -?\d+ and \d+, inclusive|greater than (or equal to )?-?\d+|less than or equal to \d+|1)$")
def into_range(problem: Problem, page: Page) -> Iterator[Fix | None]:
    """The nearest allowed number."""
    numbers = [int(text) for text in re.findall(r"-?\d+", problem.message.rsplit("must be", 1)[-1])]
    node = page.node(problem.path)
    try:
        written = int(node.text or "") if node is not None else None
    except ValueError:
        written = None
    if written is None or not numbers:
        return
    if "greater than" in problem.message:
        value = numbers[0] if "or equal" in problem.message else numbers[0] + 1
    elif len(numbers) == 2:
        value = min(max(written, numbers[0]), numbers[1])
    else:
        value = numbers[0]
    yield fix(_("Use %s") % value, page.set_value(problem.path, str(value)))


@fixer("quantity", words=r"quantities must match|unable to parse quantity")
def quantity(problem: Problem, page: Page) -> Iterator[Fix | None]:
    """Quantities such as 128MB, 1 Gi or 0,5."""
    node = page.node(problem.path)
    match = _AMOUNT.fullmatch((node.text or "").strip().replace(",", ".")) if node is not None else None
    if match is None:
        return
    # Case as written first: it distinguishes K from k and M from m.
    amount = match[1] + _UNITS.get(match[2], _UNITS.get(match[2].lower(), match[2]))
    try:
        parse(amount)
    except BadQuantity:
        return
    yield fix(_("Use %s") % amount, page.set_value(problem.path, amount))


@fixer("request-to-limit", words=r"must be less than or equal to (\S+ )?limit")
def request_to_limit(problem: Problem, page: Page) -> Iterator[Fix | None]:
    """A request above its limit: either one can follow the other."""
    path, name = problem.path, split_path(problem.path)[1]
    step = next((key for key in ("cpu", "memory", "ephemeral-storage") if name == key or key in problem.message), "")
    requests = path if name == step else f"{path}.{step}"
    limits = ".limits".join(requests.rsplit(".requests", 1))
    request, limit = page.written(requests), page.written(limits)
    if request and limit:
        yield fix(_("Set the request to %s") % limit, page.set_value(requests, limit))
        yield fix(_("Set the limit to %s") % request, page.set_value(limits, request))
