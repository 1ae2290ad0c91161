"""Valid containers of a new pod."""

import pytest

from tests.engine.apiserver.validation.pods import wrong, wrong_container

VOLUMES = {"volumes": [{"name": "v", "emptyDir": {}}, {"name": "c", "persistentVolumeClaim": {"claimName": "c"}}]}


def env(**source):
    return {"env": [{"name": "A", "valueFrom": source}]}


def field(path, **more):
    return env(fieldRef={"fieldPath": path, **more})


ENV_FIELDS = (
    '"metadata.name", "metadata.namespace", "metadata.uid", "spec.nodeName", "spec.serviceAccountName", '
    '"status.hostIP", "status.hostIPs", "status.podIP", "status.podIPs"'
)
RESOURCES = '"limits.cpu", "limits.ephemeral-storage", "limits.memory", "requests.cpu", "requests.ephemeral-storage", "requests.memory"'
PATH = "env[0].valueFrom.fieldRef.fieldPath"


@pytest.mark.parametrize(
    ("container", "text"),
    [
        (field(""), f"{PATH}: Required value"),
        (field("metadata.labels"), f'{PATH}: Unsupported value: "metadata.labels": supported values: {ENV_FIELDS}'),
        (field("spec.x"), f'{PATH}: Invalid value: "spec.x": error converting fieldPath: field label not supported: spec.x'),
        (
            field("metadata.name", apiVersion="v2"),
            f'{PATH}: Invalid value: "metadata.name": error converting fieldPath: unsupported pod version: v2',
        ),
        (
            field("metadata.name['a']"),
            (
                f"{PATH}: Invalid value: \"metadata.name['a']\": error converting fieldPath: field label does not "
                "support subscript: metadata.name['a']"
            ),
        ),
        (
            env(resourceFieldRef={"resource": "x"}),
            f'env[0].valueFrom.resourceFieldRef.resource: Unsupported value: "x": supported values: {RESOURCES}',
        ),
        (
            env(resourceFieldRef={"resource": "limits.cpu", "divisor": "2"}),
            (
                'env[0].valueFrom.resourceFieldRef.divisor: Invalid value: "limits.cpu": only divisor\'s values 1m '
                "and 1 are supported with the cpu resource"
            ),
        ),
        (
            env(configMapKeyRef={"name": "c", "key": "a/b"}),
            (
                'env[0].valueFrom.configMapKeyRef.key: Invalid value: "a/b": a valid config key must consist of '
                "alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex "
                "used for validation is '[-._a-zA-Z0-9]+')"
            ),
        ),
        ({"envFrom": [{"configMapRef": {}}]}, "envFrom[0].configMapRef.name: Required value"),
    ],
)
def test_variable_is_rejected_with_the_official_text(container, text):
    assert wrong_container(container) == [text]


def test_variable_may_show_one_label():
    assert wrong_container(field("metadata.labels['app.kubernetes.io/name']")) == []


def test_key_of_a_label_in_a_variable_is_a_qualified_name():
    (text,) = wrong_container(field("metadata.labels['a b']"))
    assert text.startswith('env[0].valueFrom.fieldRef: Invalid value: "a b": name part must consist of')


def mount(**more):
    return {"volumeMounts": [{"name": "v", "mountPath": "/v", **more}]}


@pytest.mark.parametrize(
    ("container", "text"),
    [
        (mount(subPath="/x"), 'volumeMounts.subPath: Invalid value: "/x": must be a relative path'),
        (
            mount(subPath="a", subPathExpr="b"),
            'volumeMounts[0].subPathExpr: Invalid value: "b": subPathExpr and subPath are mutually exclusive',
        ),
        (
            mount(mountPropagation="Both"),
            'volumeMounts.mountPropagation: Unsupported value: "Both": supported values: "Bidirectional", "HostToContainer", "None"',
        ),
        (
            mount(mountPropagation="Bidirectional"),
            "volumeMounts.mountPropagation: Forbidden: Bidirectional mount propagation is available only to privileged containers",
        ),
        (mount(recursiveReadOnly="Enabled"), "volumeMounts.recursiveReadOnly: Forbidden: may only be specified when readOnly is true"),
        (
            {"volumeDevices": [{"name": "v", "devicePath": "/d"}]},
            (
                'volumeDevices[0].name: Invalid value: "v": can only use volume source type of PersistentVolumeClaim '
                "or Ephemeral for block mode"
            ),
        ),
        (
            {"volumeDevices": [{"name": "c", "devicePath": "/../d"}]},
            "volumeDevices[0].devicePath: Invalid value: \"/../d\": can not contain backsteps ('..')",
        ),
    ],
)
def test_mount_is_rejected_with_the_official_text(container, text):
    assert wrong_container(container, spec=VOLUMES) == [text]


def test_volume_is_mounted_or_a_device():
    container = {"volumeMounts": [{"name": "c", "mountPath": "/c"}], "volumeDevices": [{"name": "c", "devicePath": "/d"}]}
    words = [text.partition(": must ")[2] for text in wrong_container(container, spec=VOLUMES)]
    assert words == ["not already exist in volumeDevices", "not already exist in volumeMounts"]


def amounts(**resources):
    return {"resources": resources}


@pytest.mark.parametrize(
    ("container", "texts"),
    [
        (
            amounts(requests={"example.com/a": "2"}),
            ["resources.limits: Required value: Limit must be set for non overcommitable resources"],
        ),
        (
            amounts(limits={"example.com/a": "2"}, requests={"example.com/a": "1"}),
            ['resources.requests: Invalid value: "1": must be equal to example.com/a limit of 2'],
        ),
        (
            amounts(limits={"hugepages-2Mi": "4Mi"}, requests={"hugepages-2Mi": "4Mi"}),
            ["resources: Forbidden: HugePages require cpu or memory"],
        ),
        (
            amounts(limits={"cpu": "1", "hugepages-2Mi": "3Mi"}),
            ['resources.limits[hugepages-2Mi]: Invalid value: "3Mi": 3Mi is not positive integer multiple of hugepages-2Mi'],
        ),
        (
            amounts(limits={"requests.example.com/a": "1"}),
            [
                (
                    'resources.limits[requests.example.com/a]: Invalid value: "requests.example.com/a": doesn\'t follow '
                    "extended resource name standard"
                )
            ],
        ),
        (amounts(limits={"cpu": "-500m"}), ['resources.limits[cpu]: Invalid value: "-500m": must be greater than or equal to 0']),
        (
            amounts(limits={"memory": "64Mi"}, requests={"memory": "0.125Gi"}),
            ['resources.requests: Invalid value: "128Mi": must be less than or equal to memory limit of 64Mi'],
        ),
    ],
)
def test_amount_is_rejected_with_the_official_text(container, texts):
    assert wrong_container(container) == texts


@pytest.mark.parametrize(
    ("security", "text"),
    [
        ({"runAsGroup": -1}, "runAsGroup: Invalid value: -1: must be between 0 and 2147483647, inclusive"),
        ({"procMount": "X"}, 'procMount: Unsupported value: "X": supported values: "Default", "Unmasked"'),
        ({"procMount": "Unmasked"}, 'procMount: Invalid value: "Unmasked": `hostUsers` must be false to use `Unmasked`'),
        (
            {"seccompProfile": {"type": "Localhost"}},
            "seccompProfile.localhostProfile: Required value: must be set when seccomp type is Localhost",
        ),
        (
            {"seccompProfile": {"type": "X"}},
            'seccompProfile.type: Unsupported value: "X": supported values: "Localhost", "RuntimeDefault", "Unconfined"',
        ),
        (
            {"appArmorProfile": {"type": "Localhost", "localhostProfile": " x"}},
            'appArmorProfile.localhostProfile: Invalid value: " x": must not be padded with whitespace',
        ),
        (
            {"windowsOptions": {"runAsUserName": ""}},
            'windowsOptions.runAsUserName: Invalid value: "": runAsUserName cannot be an empty string',
        ),
        (
            {"windowsOptions": {"runAsUserName": "a\\b\\c"}},
            'windowsOptions.runAsUserName: Invalid value: "a\\\\b\\\\c": runAsUserName cannot contain more than one backslash',
        ),
    ],
)
def test_security_context_is_rejected_with_the_official_text(security, text):
    assert wrong_container({"securityContext": security}) == [f"securityContext.{text}"]


def test_names_of_init_containers_are_held_against_the_others():
    containers = [{"name": "app", "image": "i"}, {"name": "app", "image": "i"}]
    texts = wrong({"containers": containers, "initContainers": [{"name": "app", "image": "i"}]})
    assert texts == ['spec.containers[1].name: Duplicate value: "app"', 'spec.initContainers[0].name: Duplicate value: "app"']


def test_image_with_blanks_comes_after_all_other_errors():
    texts = wrong({"restartPolicy": "No"}, container={"image": " i"})
    assert [text.partition(":")[0] for text in texts] == ["spec.restartPolicy", "spec.containers[0].image"]


def test_header_of_a_request_has_a_plain_name():
    probe = {"httpGet": {"port": 80, "httpHeaders": [{"name": "X:Y"}]}}
    (text,) = wrong_container({"livenessProbe": probe})
    assert text.startswith('livenessProbe.httpGet.httpHeaders: Invalid value: "X:Y": a valid HTTP header must consist of')
