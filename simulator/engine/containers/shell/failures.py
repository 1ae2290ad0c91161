"""Why an expansion cannot be completed."""

from simulator.engine.containers.syntax.ast import Node


class NeedCommand(Exception):
    """The output of a command substitution is missing."""

    def __init__(self, node: Node) -> None:
        super().__init__()
        self.node = node


class ExpansionError(Exception):
    """Expansion failed and ends the shell, e.g. ``${x:?}``; the text is the message."""
