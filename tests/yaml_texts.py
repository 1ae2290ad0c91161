"""YAML files of the tests."""

from typing import Any

import yaml

LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""With libyaml, where PyYAML has it: ten times as fast."""


def read_yaml(text: str) -> Any:
    """What the text of a file of ours says, as ``yaml.safe_load`` reads it."""
    return yaml.load(text, Loader=LOADER)
