"""Which objects of the API a pod refers to, in the kubelet's words."""

from typing import Any

import pytest

from simulator.engine.model.references import api_reference, refers_to_secret

Json = dict[str, Any]


def in_volume(**source: Any) -> Json:
    return {"volumes": [{"name": "v", **source}]}


def in_container(**fields: Any) -> Json:
    return {"initContainers": [{"name": "i", **fields}]}


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ({"containers": [{"name": "app"}]}, ""),
        ({"serviceAccountName": "x"}, "serviceaccounts"),
        ({"imagePullSecrets": [{"name": "s"}]}, "secrets"),
        (in_container(envFrom=[{"secretRef": {"name": "s"}}]), "secrets"),
        (in_container(env=[{"name": "A", "valueFrom": {"secretKeyRef": {"name": "s", "key": "k"}}}]), "secrets"),
        (in_volume(secret={"secretName": "s", "optional": True}), "secrets"),
        (in_volume(csi={"driver": "d", "nodePublishSecretRef": {"name": "s"}}), "secrets"),
        (in_volume(csi={"driver": "d"}), "csidrivers (via CSI volumes)"),
        (in_volume(configMap={"name": "c"}), "configmaps"),
        (in_volume(projected={"sources": [{"configMap": {"name": "c"}}]}), "configmaps"),
        (in_volume(projected={"sources": [{"downwardAPI": {}}, {"serviceAccountToken": {}}]}), "serviceaccounts (via projected volumes)"),
        ({"resourceClaims": [{"name": "gpu"}]}, "resourceclaims"),
        (in_volume(persistentVolumeClaim={"claimName": "c"}), "persistentvolumeclaims"),
        (in_volume(ephemeral={}), "persistentvolumeclaims (via ephemeral volumes)"),
        (in_volume(emptyDir={}), ""),
    ],
)  # fmt: skip
def test_references_are_listed_in_the_order_in_which_the_kubelet_asks(spec: Json, expected: str) -> None:
    assert api_reference(spec) == expected


def test_projected_secret_is_a_secret() -> None:
    assert refers_to_secret(in_volume(projected={"sources": [{"secret": {"name": "s"}}]}))
    assert not refers_to_secret(in_volume(configMap={"name": "s"}))
