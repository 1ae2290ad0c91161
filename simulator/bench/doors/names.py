"""The names of the query parameters and form fields that views read, found in their source, so that a new one cannot be forgotten."""

import ast
import inspect
from collections.abc import Callable, Iterator
from functools import cache
from textwrap import dedent
from types import ModuleType
from typing import Any

from django import forms

from simulator.engine.acts import all_acts
from simulator.web.run.command_forms import CommandForm

OURS = "simulator."
_READERS = {"get", "getlist"}


@cache
def fields_of(view: Callable[..., Any]) -> dict[str, tuple[str, ...]]:
    """Names that the view's module reads from requests, and those in modules and forms that it imports; each with typical values."""
    module = inspect.getmodule(view)
    if module is None or not module.__name__.startswith(OURS):
        return {}
    found: dict[str, tuple[str, ...]] = dict.fromkeys(_read_in(module), ())
    for known in vars(module).values():
        if inspect.isclass(known) and issubclass(known, forms.Form):
            found |= {name: (*found.get(name, ()), *values) for name, values in _form_fields(known).items()}
        elif inspect.isfunction(known) and known.__module__.startswith("simulator.web"):
            found |= dict.fromkeys(set(_read_in(known)) - set(found), ())
    return dict(sorted(found.items()))


@cache
def _read_in(source: ModuleType | Callable[..., Any]) -> tuple[str, ...]:
    return tuple(sorted(set(_strings_read(ast.parse(dedent(inspect.getsource(source)))))))


def _strings_read(tree: ast.AST) -> Iterator[str]:
    """Literal names in ``….get("name")``, ``…["name"]`` and ``"name" in request.GET``; a few others do no harm."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _READERS and node.args:
            yield from _literals(node.args[0])
        elif isinstance(node, ast.Subscript):
            yield from _literals(node.slice)
        elif isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.In):
            yield from _literals(node.left)


def _literals(node: ast.expr) -> Iterator[str]:
    if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.isidentifier():
        yield node.value


def _form_fields(form: type[forms.Form]) -> dict[str, tuple[str, ...]]:
    found = {name: tuple(_choices(field)) for name, field in form.base_fields.items()}
    if form is CommandForm:
        acts = [act for act in all_acts.ACTS if act.form is not None]
        found |= {field.name: tuple(map(str, field.choices)) for act in acts if act.form for field in act.form.fields}
        found["do"] = tuple(act.do for act in acts)
    return found


def _choices(field: forms.Field) -> Iterator[str]:
    if isinstance(field, forms.ChoiceField):
        yield from (str(value) for value, _label in field.choices)  # type: ignore[union-attr, misc]  # a callable has been called by then
    elif isinstance(field, (forms.IntegerField, forms.DecimalField)):
        yield from ("0", "1", "7", "5000")
    elif isinstance(field, forms.BooleanField):
        yield "on"
