"""How a script's step names its targets: kinds by any of their names, objects by a list or as the first ones."""

from simulator.engine.acts.script import BadStep, StepReader
from simulator.engine.kernel.rule_text import gettext_noop
from simulator.engine.model.kinds import KindInfo, kind_of

POD_KINDS = ("pod", "pods", "po")
NODE_KINDS = ("node", "nodes", "no")
FIRST_MAX = 1000


def kind_named(step: StepReader, word: str) -> KindInfo:
    """The kind with that name: a kind, a plural or a short name. Raises BadStep."""
    info = kind_of(word)
    if info is None:
        raise BadStep(gettext_noop('"{verb}" of kind "{kind}" is not supported'), f"{step.verb}.kind", verb=step.verb, kind=word)
    return info


def names_of(step: StepReader) -> list[str]:
    """The list ``names``, or placeholders for the first ones. Raises BadStep."""
    if first := first_of(step):
        return first
    names = step.needed("names", list)
    if not names or not all(isinstance(name, str) for name in names):
        raise BadStep(gettext_noop("names must be a list of pod names"), "delete.names")
    return list(names)


def first_of(step: StepReader) -> list[str]:
    """Placeholders for the names of the first pods: ``first: true`` is one, a number that many; empty if the step does not have it.

    Raises BadStep.
    """
    first = step.field("first", (bool, int))
    if first is None or first is False:
        return []
    if not 0 < int(first) <= FIRST_MAX:
        raise BadStep(gettext_noop("first must be true or a number of pods"), f"{step.verb}.first")
    # Resolved when the command is carried out (see targets.py).
    return [f"[{number}]" for number in range(int(first))]
