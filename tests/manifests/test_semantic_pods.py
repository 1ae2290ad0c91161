"""The position of errors whose path in the API server differs from that in manifests."""

import pytest

from simulator.manifests.check.check import check_text

POD = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n  containers: [{name: a, image: b}]\n"


@pytest.mark.parametrize(
    ("spec", "path"),
    [
        ("hostUsers: false\n  hostPID: true", "spec.hostPID"),
        ("hostPID: true\n  shareProcessNamespace: true", "spec.shareProcessNamespace"),
        ('overhead: {cpu: "-1"}', "spec.overhead[cpu]"),
        ("volumes: [{name: v, gcePersistentDisk: {pdName: d, partition: -1}}]", "spec.volumes[0].gcePersistentDisk.partition"),
    ],
)
def test_error_is_found_where_it_is_written(spec, path):
    (problem,) = check_text(f"{POD}  {spec}\n", kubernetes="1.33").problems
    assert (problem.path, problem.line) == (path, 7 if "\n" in spec else 6)


RECOMMENDED = "this is used in the Pod's hostname, which can result in surprising behavior; a DNS label is recommended"
LABEL = (
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric"
    " character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')"
)


@pytest.mark.parametrize(
    ("name", "kubernetes", "said"),
    [
        ("a" * 63, "1.27", []),
        ("a" * 64, "1.27", [f"{RECOMMENDED}: [must be no more than 63 characters]"]),
        ("a" * 64, "1.37", [f"{RECOMMENDED}: [must be no more than 63 characters]"]),
        ("a.b", "1.27", [f"{RECOMMENDED}: [{LABEL}]"]),
        ("a.b", "1.26", []),
    ],
)
def test_name_that_is_no_host_name_is_warned_of(name, kubernetes, said):
    checked = check_text(POD.replace("{name: p}", "{name: " + name + "}"), kubernetes=kubernetes)
    assert checked.ok
    assert [(problem.severity, problem.path, problem.message) for problem in checked.problems] == [
        ("warning", "metadata.name", text) for text in said
    ]


HOST_PROCESS = f"{POD}  hostNetwork: true\n  securityContext: {{windowsOptions: {{hostProcess: true}}}}\n"


@pytest.mark.parametrize(
    ("kubernetes", "said"),
    [
        ("1.20", ['unknown field "spec.securityContext.windowsOptions.hostProcess"']),
        ("1.21", ['unknown field "spec.securityContext.windowsOptions.hostProcess"']),
        (
            "1.22",
            [
                "Forbidden: pod must not contain Windows hostProcess containers when feature gate"
                " 'WindowsHostProcessContainers' is not enabled"
            ],
        ),
        ("1.23", []),
    ],
)
def test_host_process_comes_with_its_versions(kubernetes, said):
    assert [problem.message for problem in check_text(HOST_PROCESS, kubernetes=kubernetes).problems] == said
