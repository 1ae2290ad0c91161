"""A container's files in /etc, and its host name."""

from typing import Any

import pytest

from simulator.engine import World
from tests.engine.worlds import container, header, pod, run

LOCAL = [
    "127.0.0.1\tlocalhost", "::1\tlocalhost ip6-localhost ip6-loopback", "fe00::0\tip6-localnet", "fe00::0\tip6-mcastprefix",
    "fe00::1\tip6-allnodes", "fe00::2\tip6-allrouters",
]  # fmt: skip
MANAGED = ["# Kubernetes-managed hosts file.", *LOCAL]
SEARCH = "search default.svc.cluster.local svc.cluster.local cluster.local"


def printed(world: World, key: str = "default/p") -> list[str]:
    """The output of the pod's container."""
    return [line[3] for line in world.tables.logs[(key, "app")]]


def says(script: str, *, name: str = "p", kubernetes: str = "1.30", namespace: str = "default", **spec: Any) -> list[str]:
    document = pod(container(script), name=name, restartPolicy="Never", **spec)
    document["metadata"]["namespace"] = namespace
    world, _ = run(header(document, kubernetes=kubernetes), 5)
    return printed(world, f"{namespace}/{name}")


def test_hosts_file_is_the_kubelets() -> None:
    assert says("cat /etc/hosts") == [*MANAGED, "10.244.0.3\tp"]


def test_subdomain_gives_the_pod_a_full_name() -> None:
    last = "10.244.0.3\th.web.default.svc.cluster.local\th"
    assert says("cat /etc/hosts", hostname="h", subdomain="web") == [*MANAGED, last]


def test_host_aliases_follow_in_the_hosts_file() -> None:
    aliases = [{"ip": "127.0.0.1", "hostnames": ["foo.local", "bar.local"]}, {"ip": "10.1.2.3", "hostnames": ["foo.remote"]}]
    added = ["", "# Entries added by HostAliases.", "127.0.0.1\tfoo.local\tbar.local", "10.1.2.3\tfoo.remote"]
    assert says("cat /etc/hosts", hostAliases=aliases) == [*MANAGED, "10.244.0.3\tp", *added]


def test_alias_is_found_by_name() -> None:
    aliases = [{"ip": "127.0.0.1", "hostnames": ["foo.local"]}]
    script = "(while true; do echo x | nc -l -p 9000; done) & sleep 1; nc -z foo.local 9000 && echo reached"
    assert "reached" in says(script, hostAliases=aliases)


def test_pod_in_the_network_of_its_node_has_its_hosts_and_host_name() -> None:
    aliases = [{"ip": "10.1.2.3", "hostnames": ["x"]}]
    assert says("cat /etc/hosts; hostname; cat /etc/hostname; echo $HOSTNAME", hostNetwork=True, hostAliases=aliases) == [
        "# Kubernetes-managed hosts file (host network).", "127.0.0.1\tlocalhost", "10.0.0.10\tnode1",
        "", "# Entries added by HostAliases.", "10.1.2.3\tx", "node1", "node1", "node1",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("spec", "lines"),
    [
        ({}, [SEARCH, "nameserver 10.96.0.10", "options ndots:5"]),
        ({"dnsPolicy": "Default"}, ["nameserver 10.0.0.2"]),
        ({"hostNetwork": True}, ["nameserver 10.0.0.2"]),
        ({"hostNetwork": True, "dnsPolicy": "ClusterFirstWithHostNet"}, [SEARCH, "nameserver 10.96.0.10", "options ndots:5"]),
        (
            {
                "dnsPolicy": "None",
                "dnsConfig": {
                    "nameservers": ["192.0.2.1"],
                    "searches": ["ns1.svc.cluster-domain.example", "my.dns.search.suffix"],
                    "options": [{"name": "ndots", "value": "2"}, {"name": "edns0"}],
                },
            },
            ["search ns1.svc.cluster-domain.example my.dns.search.suffix", "nameserver 192.0.2.1", "options ndots:2 edns0"],
        ),
        (
            {"dnsConfig": {"nameservers": ["192.0.2.1", "10.96.0.10"], "searches": ["x"], "options": [{"name": "ndots", "value": "2"}]}},
            [f"{SEARCH} x", "nameserver 10.96.0.10", "nameserver 192.0.2.1", "options ndots:2"],
        ),
    ],
)
def test_resolver_follows_the_dns_policy(spec: dict[str, Any], lines: list[str]) -> None:
    assert says("cat /etc/resolv.conf", **spec) == lines


def test_search_domains_are_those_of_the_namespace() -> None:
    assert says("head -n 1 /etc/resolv.conf", namespace="shop") == ["search shop.svc.cluster.local svc.cluster.local cluster.local"]


@pytest.mark.parametrize(
    ("name", "spec", "lines"),
    [
        ("p", {}, ["p", "p", "p"]),
        ("p", {"hostname": "h"}, ["h", "h", "h"]),
        ("p", {"hostname": "h", "subdomain": "web"}, ["h", "h.web.default.svc.cluster.local", "h"]),
        ("p", {"subdomain": "web", "setHostnameAsFQDN": True}, ["p.web.default.svc.cluster.local"] * 3),
        ("a" * 62 + "-bcd", {}, ["a" * 62] * 3),
        ("a" * 70, {}, ["a" * 63] * 3),
    ],
)
def test_host_name_is_as_the_kubelet_makes_it(name: str, spec: dict[str, Any], lines: list[str]) -> None:
    assert says("hostname; hostname -f; cat /etc/hostname", name=name, **spec) == lines


@pytest.mark.parametrize(("kubernetes", "said"), [("1.34", "p"), ("1.35", "over.ride.example")])
def test_host_name_that_is_overridden_has_no_domain(kubernetes: str, said: str) -> None:
    spec = {"hostnameOverride": "over.ride.example"}
    assert says("hostname; hostname -f", kubernetes=kubernetes, **spec) == [said, said]


def test_files_of_etc_can_be_added_to() -> None:
    script = "echo 10.9.9.9 extra >> /etc/hosts; tail -n 2 /etc/hosts; ls /etc; [ -f /etc/resolv.conf ] && echo there"
    lines = says(script)
    assert lines[:2] == ["10.244.0.3\tp", "10.9.9.9 extra"]
    assert lines[2:] == ["group", "hostname", "hosts", "passwd", "resolv.conf", "there"]


def test_file_of_the_kubelet_cannot_be_removed() -> None:
    assert "can't remove '/etc/hosts': Device or resource busy" in " ".join(says("rm /etc/hosts; cat /etc/hosts"))


def test_made_files_take_no_room() -> None:
    world, _ = run(header(pod(container("cat /etc/hosts; sleep 600"))), 5)
    (instance,) = world.tables.instances["default/p"]
    assert instance.process is not None and instance.process.files == {}


@pytest.mark.parametrize("command", ["/etc/passwd", "/etc/hosts", "/etc", "/bin", "/tmp"])
def test_data_file_or_directory_cannot_be_started(command: str) -> None:
    bad = {"name": "app", "image": "busybox:1.28", "command": [command]}
    world, records = run(header(pod(bad)), 60)
    text = f'exec: "{command}": permission denied: unknown'
    told = [record for record in records if record.machine == "k8s_event" and text in str(record.get("message"))]
    assert [record.get("count") for record in told] == [1, 2, 3, 4]
    assert world.tables.instances["default/p"][0].reason == "StartError"


@pytest.mark.parametrize("word", ["/etc/passwd", "/etc"])
def test_shell_names_what_it_may_not_execute(word: str) -> None:
    assert says(f"{word}; echo $?")[-2:] == [f"sh: {word}: Permission denied", "126"]


@pytest.mark.parametrize(("length", "problem"), [(64, False), (65, True)])
def test_full_host_name_has_64_characters_at_most(length: int, problem: bool) -> None:
    name = "a" * (length - len(".sub.default.svc.cluster.local"))
    world, records = run(header(pod(container("sleep 600"), name=name, subdomain="sub", setHostnameAsFQDN=True)), 5)
    told = [record.get("message") for record in records if record.target == "FailedCreatePodSandBox"]
    text = (
        "Failed to create pod sandbox: failed to construct FQDN from pod hostname and cluster domain, "
        f"FQDN {name}.sub.default.svc.cluster.local is too long (64 characters is the max, {length} characters requested)"
    )
    assert told == ([text] if problem else [])
    assert world.tables.pods[f"default/{name}"].status.phase == ("Pending" if problem else "Running")
