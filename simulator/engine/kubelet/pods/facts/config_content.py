"""ConfigMaps and Secrets as a node sees them: the current content of the API object."""

import json

from simulator.engine.kernel.caching import cached_when_short
from simulator.engine.model.objects import config_map_from_document, secret_from_document
from simulator.engine.world.effects import Effects


def config_values(fx: Effects, namespace: str, name: str) -> dict[str, str] | None:
    """The values of a ConfigMap, or None if it does not exist."""
    row = fx.tables.objects.get(("ConfigMap", namespace, name))
    return None if row is None else _config(row.document)


def secret_values(fx: Effects, namespace: str, name: str) -> dict[str, str] | None:
    """The values of a Secret as text, or None if it does not exist."""
    row = fx.tables.objects.get(("Secret", namespace, name))
    return None if row is None else _secret(row.document)


@cached_when_short(maxsize=256, chars_max=50_000, long_kept=4)
def _config(document: str) -> dict[str, str]:
    return dict(config_map_from_document(json.loads(document)).data)


@cached_when_short(maxsize=256, chars_max=50_000, long_kept=4)
def _secret(document: str) -> dict[str, str]:
    return {key: data.decode("utf-8", "replace") for key, data in secret_from_document(json.loads(document)).data.items()}
