"""YAML files of the tests."""

from typing import Any

import yaml

LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""With libyaml, where PyYAML has it: ten times as fast."""


def read_yaml(text: str) -> Any:
    """The content of one of our own files, as read by ``yaml.safe_load``."""
    return yaml.load(text, Loader=LOADER)
