"""How scripts name the node of a verb."""

from simulator.engine.acts.script import StepReader


def node_of(step: StepReader) -> str:
    """The node of a verb that may be written as a map or as the bare name."""
    if isinstance(step.body, str):
        return step.body
    name: str = step.needed("node", str)
    return name
