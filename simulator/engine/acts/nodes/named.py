"""How scripts name the node of a verb."""

from simulator.engine.acts.script import StepReader


def node_of(step: StepReader) -> str:
    """The node of a verb that may be given as a map or as just the name."""
    if isinstance(step.body, str):
        return step.body
    name: str = step.needed("node", str)
    return name
