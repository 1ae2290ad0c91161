"""version, api-resources, config, auth can-i, explain, help, and the verbs that a page does not have."""

import pytest

from simulator.kubectl.kubectl import kubectl
from tests.engine.worlds import container, header, pod, run


@pytest.fixture(scope="module")
def worlds():
    return {minor: run(header(pod(container()), kubernetes=f"1.{minor}"), 5)[0] for minor in (20, 26, 33, 37)}


@pytest.mark.parametrize(
    ("minor", "line", "printed"),
    [
        (33, "version", "Client Version: v1.33.0\nKustomize Version: v5.6.0\nServer Version: v1.33.0\n"),
        (37, "version --client", "Client Version: v1.37.0\nKustomize Version: v5.8.1\n"),
        (33, "auth can-i create pods", "yes\n"),
        (20, "auth can-i get pods/log", "yes\n"),
        (33, "auth can-i get foo", "Warning: the server doesn't have a resource type 'foo'\n\nyes\n"),
        (20, "auth can-i get foo", "Warning: the server doesn't have a resource type 'foo'\nyes\n"),
        (20, "auth can-i get", "error: you must specify two or three arguments: verb, resource, and optional resourceName\n"),
        (33, "auth can-i --list | wc -l", "3\n"),
        (33, "config current-context", "podscope\n"),
        (33, "config get-contexts -o name", "podscope\n"),
        (33, "config get-contexts --no-headers", "*     podscope   podscope   podscope   default\n"),
        (33, "api-resources --api-group=batch | tr -s ' ' | cut -d' ' -f1", "NAME\ncronjobs\njobs\n"),
        (33, "api-resources --api-group=batch --no-headers | tr -s ' ' | cut -d' ' -f1", "cronjobs\njobs\n"),
        (33, "api-versions | grep apps", "apps/v1\n"),
        (20, "api-resources -o wide | grep ^namespaces", None),
        (26, "api-resources -o wide | grep '^pods .*Pod '", None),
        (20, "api-resources --api-group=metrics.k8s.io -o name", "nodes.metrics.k8s.io\npods.metrics.k8s.io\n"),
        (37, "api-versions | grep metrics", "metrics.k8s.io/v1beta1\n"),
        (33, "api-resources --namespaced=false -o name | head -1", "componentstatuses\n"),
        (33, "api-resources --api-group=apps -o name | tail -1", "statefulsets.apps\n"),
        (33, "cluster-info | head -1", "Kubernetes control plane is running at https://kubernetes.default.svc\n"),
    ],
)
def test_line_about_the_cluster(worlds, minor, line, printed):
    answer = kubectl(worlds[minor], line)
    if printed is not None:
        assert answer == printed
    elif minor == 20:
        assert answer.endswith(" Namespace                        [create delete get list patch update watch]\n")
    else:
        assert answer.endswith(" Pod                              create,delete,deletecollection,get,list,patch,update,watch   all\n")


@pytest.mark.parametrize(
    ("minor", "line", "printed"),
    [
        (20, "api-versions | grep flowcontrol", "flowcontrol.apiserver.k8s.io/v1beta1\n"),
        (33, "api-versions | grep flowcontrol", "flowcontrol.apiserver.k8s.io/v1\n"),
        (20, "api-versions | grep autoscaling", "autoscaling/v1\nautoscaling/v2beta1\nautoscaling/v2beta2\n"),
        (33, "api-resources --verbs=deletecollection -o name | grep -c namespaces", "0\n"),
        (33, "api-resources --categories=api-extensions -o name | tail -1", "apiservices.apiregistration.k8s.io\n"),
        (37, "api-resources --sort-by=kind -o name | head -1", "apiservices.apiregistration.k8s.io\n"),
        (20, "get secrets -o name", "secret/default-token-p5zfs\n"),
        (33, "get secrets -o name", ""),
        (20, "get sa --no-headers | tr -s ' ' | cut -d' ' -f2", "1\n"),
        (
            33,
            "get cs etcd-0 --no-headers",
            'Warning: v1 ComponentStatus is deprecated in v1.19+\netcd-0   Healthy   {"health":"true"}   \n',
        ),
        (33, "version --client -o yaml | head -2", 'clientVersion:\n  buildDate: "2026-01-01T00:00:00Z"\n'),
        (20, "version --short", "Client Version: v1.20.0\nServer Version: v1.20.0\n"),
        (37, "auth whoami | tail -1", "Groups      [system:masters system:authenticated]\n"),
        (20, "auth whoami", "error: unknown command \"whoami\"\nSee 'kubectl auth -h' for help and examples\n"),
        (37, "describe sa default | tail -2", "Image pull secrets:  <none>\nEvents:              <none>\n"),
        (20, "describe sa default | tail -2", "Tokens:              default-token-p5zfs\nEvents:              <none>\n"),
        (37, "logs deploy/x", 'error: error from server (NotFound): deployments.apps "x" not found in namespace "default"\n'),
        (20, "logs deploy/x", 'Error from server (NotFound): deployments.apps "x" not found\n'),
        (20, "get netpol,crd,ing", "No resources found\n"),
        (20, "get ip", 'error: the server doesn\'t have a resource type "ip"\n'),
        (20, "get clusterroles x", 'Error from server (NotFound): clusterroles.rbac.authorization.k8s.io "x" not found\n'),
        (20, "get lease -n kube-node-lease -o name", "lease.coordination.k8s.io/node1\n"),
    ],
)
def test_kinds_without_a_part_in_the_life_of_a_pod_are_known_by_name(worlds, minor, line, printed):
    assert kubectl(worlds[minor], line) == printed


def test_kinds_are_those_of_the_version(worlds):
    assert "policy/v1beta1" in kubectl(worlds[20], "api-resources") and "policy/v1beta1" not in kubectl(worlds[33], "api-resources")


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("config use-context prod", 'error: no context exists with the name: "prod"'),
        ("config set-context prod", 'error: there is no kubeconfig here for "prod": the only context'),
        ("config set-cluster prod", "error: there is no kubeconfig here for config set-cluster"),
        ("config nope", 'error: unknown command "nope"'),
        ("cp a b", "error: this command line does not know cp: there are no files here"),
        ("attach p", "error: this command line does not know attach: logs shows what a container prints"),
        ("port-forward p 80", "error: this command line does not know port-forward: there are no ports here"),
        ("version -o text", "error: --output must be 'yaml' or 'json'"),
        ("help dance", 'error: unknown command "dance"'),
        ("explain", "error: You must specify the type of resource to explain."),
        ("explain nonsense", 'the server doesn\'t have a resource type "nonsense"'),
        ("explain pod.spec.nope", 'KIND:       Pod\nVERSION:    v1\n\nerror: field "nope" does not exist\n'),
    ],
)
def test_what_is_not_here_is_refused_with_a_word(worlds, line, text):
    assert kubectl(worlds[33], line).startswith(text)


def test_field_is_explained_as_an_old_client_does(worlds):
    text = kubectl(worlds[20], "explain pod.spec.containers.livenessProbe")
    assert text.startswith(
        "KIND:     Pod\nVERSION:  v1\n\nRESOURCE: livenessProbe <Object>\n\nDESCRIPTION:\n     Periodic probe of container liveness."
    )
    assert "\nFIELDS:\n   exec\t<Object>\n     One and only one of the following" in text and text.endswith("#container-probes\n\n")


def test_field_is_explained_as_a_newer_client_does(worlds):
    text = kubectl(worlds[33], "explain deployment.spec.template.spec.containers")
    assert text.startswith(
        "GROUP:      apps\nKIND:       Deployment\nVERSION:    v1\n\nFIELD: containers <[]Container>\n\n\nDESCRIPTION:\n"
    )
    assert "\n  env\t<[]EnvVar>\n" in text and "\n  name\t<string> -required-\n" in text


def test_field_without_fields_is_told_by_its_type(worlds):
    assert "\nFIELD:    replicas <integer>\n" in kubectl(worlds[20], "explain deploy.spec.replicas")
    assert "\nFIELD: nodeSelector <map[string]string>\n" in kubectl(worlds[33], "explain pod.spec.nodeSelector")


def test_help_names_the_flags_of_a_verb(worlds):
    for line in ("get --help", "help get", "k get -h"):
        assert "  -A, --all-namespaces=true\n" in kubectl(worlds[33], line)
    assert "--grace-period=VALUE" in kubectl(worlds[33], "delete --help")


def test_help_lists_the_verbs(worlds):
    text = kubectl(worlds[33], "--help")
    assert text.startswith("Commands that this command line knows:\n") and "\n  explain " in text


@pytest.mark.parametrize(
    ("minor", "words"),
    [
        (20, "action to take."),
        (26, "     Exec specifies the action to take."),
        (37, "Exec specifies a command to execute in the container."),
    ],
)
def test_fields_are_explained_in_the_words_of_their_version(worlds, minor, words):
    assert words in kubectl(worlds[minor], "explain pod.spec.containers.livenessProbe")
