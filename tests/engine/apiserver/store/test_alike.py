"""Pods with the same template are completed only once, which must not be visible in what is stored."""

import json

import pytest

from simulator.engine import RunHeader, new_world
from simulator.engine.model.manifest import stored_pod

SPECS = (
    '{"containers":[{"name":"app","image":"nginx:1.27"}]}',
    '{"containers":[{"name":"app","image":"busybox"}],"initContainers":[{"name":"init","image":"busybox"}],"volumes":[{"name":"d","emptyDir":{}}]}',
    '{"automountServiceAccountToken":false,"containers":[{"name":"app","image":"busybox","resources":{"limits":{"cpu":"1"}}}]}',
    '{"serviceAccountName":"mine","containers":[{"name":"app","image":"busybox","livenessProbe":{"exec":{"command":["true"]}}}]}',
)


@pytest.mark.parametrize("version", ["1.20", "1.21", "1.30", "1.36"])
@pytest.mark.parametrize("spec", SPECS)
def test_pods_of_one_template_are_stored_as_if_each_came_alone(version: str, spec: str) -> None:
    """Pods that differ in name and labels share the completed template; with an annotation they do not."""
    texts = [f'{{"apiVersion":"v1","kind":"Pod","metadata":{{"name":"{name}","labels":{{"app":"x"}}}},"spec":{spec}}}' for name in "ab"]
    alone = texts[0].replace('"labels"', '"annotations":{"note":"alone"},"labels"')
    shared = new_world(RunHeader(kubernetes=version, manifests=tuple(texts))).tables.pods
    whole = new_world(RunHeader(kubernetes=version, manifests=(alone,))).tables.pods["default/a"]
    document = json.loads(whole.document)
    del document["metadata"]["annotations"]
    assert json.loads(shared["default/a"].document) == document
    assert shared["default/a"].pod.spec == whole.pod.spec
    assert shared["default/b"].pod == stored_pod(shared["default/b"].document)
    assert ("default/b" in shared) and shared["default/a"].pod.metadata.labels == {"app": "x"}
