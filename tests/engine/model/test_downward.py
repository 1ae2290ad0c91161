import pytest

from simulator.engine.model.container import Container, ResourceRequirements, ResourceSelector
from simulator.engine.model.downward import BadField, env_field_value, field_value, is_qualified_name, quoted, resource_value, split_path
from simulator.engine.model.meta import ObjectMeta
from simulator.engine.model.pod import Pod, PodSpec

POD = Pod(
    metadata=ObjectMeta(name="web", namespace="shop", labels={"b": "2", "a": 'x"y'}, annotations={"Team/Owner": "us"}),
    spec=PodSpec(node_name="n1", service_account_name="robot"),
)


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("metadata.name", "web"),
        ("metadata.labels", 'a="x\\"y"\nb="2"'),
        ("metadata.labels['b']", "2"),
        ("metadata.labels['missing']", ""),
        ("metadata.annotations['Team/Owner']", "us"),
    ],
)
def test_field_value_reads_metadata(path, expected):
    assert field_value(POD, path) == expected


@pytest.mark.parametrize(
    "path", ["metadata.color", "spec.nodeName", "metadata.labels['-x']", "metadata.name['x']", "metadata.labels['A.b/c']"]
)
def test_field_value_refuses_other_paths(path):
    with pytest.raises(BadField):
        field_value(POD, path)


@pytest.mark.parametrize(
    ("path", "expected"),
    [("spec.nodeName", "n1"), ("spec.serviceAccountName", "robot"), ("status.podIP", "10.0.0.1"), ("status.podIPs", "10.0.0.1,fd00::1")],
)
def test_env_field_value_knows_the_running_pod(path, expected):
    assert env_field_value(POD, path, pod_ips=("10.0.0.1", "fd00::1")) == expected


@pytest.mark.parametrize(
    ("path", "expected"), [("a['b']", ("a", "b")), ("a['b']c']", ("a", "b']c")), ("a['b'", None), ("['b']", None), ("a", None)]
)
def test_split_path_takes_the_first_bracket(path, expected):
    assert split_path(path) == expected


@pytest.mark.parametrize(
    ("key", "expected"), [("a", True), ("x.io/a_b", True), ("", False), ("/a", False), ("x.io/", False), ("a" * 64, False)]
)
def test_is_qualified_name_follows_label_syntax(key, expected):
    assert is_qualified_name(key) is expected


def test_quoted_escapes_like_go():
    assert quoted('tab\t"é\x01\u200b') == '"tab\\t\\"é\\x01\\u200b"'


@pytest.mark.parametrize(
    ("resource", "divisor", "expected"),
    [
        ("limits.cpu", "0", "2"),
        ("limits.cpu", "1m", "1500"),
        ("requests.memory", "1Ki", "2"),
        ("requests.cpu", "1", "0"),
        ("limits.memory", "1Gi", "4"),
    ],
)
def test_resource_value_rounds_up_to_the_divisor(resource, divisor, expected):
    container = Container(name="c", resources=ResourceRequirements(limits={"cpu": "1500m"}, requests={"memory": "1025"}))
    selector = ResourceSelector(resource=resource, divisor=divisor)
    assert resource_value(container, selector, allocatable={"cpu": "8", "memory": "4Gi"}) == expected


def test_resource_value_refuses_unknown_resources():
    with pytest.raises(BadField):
        resource_value(Container(name="c"), ResourceSelector(resource="limits.gpu"))
