"""``apply --prune``: what was applied before, is selected, and is not in the input is deleted, as real kubectls printed it."""

import pytest

from simulator.headless.session import Session
from tests.engine.worlds import container, header, pod, run

MAP = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: NAME, labels: {app: a}}\n"
SECRET = "apiVersion: v1\nkind: Secret\nmetadata: {name: s, labels: {app: b}}\n"
ENDPOINTS = "Warning: v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice\n"


def a_map(name: str) -> str:
    return MAP.replace("NAME", name)


def session(kubernetes: str = "1.30") -> Session:
    begun = Session(*run(header(pod(container()), kubernetes=kubernetes), 5), now_ms=5_000)
    begun.ask(f"apply -f - <<EOF\n{a_map('one')}---\n{a_map('two')}---\n{SECRET}EOF")
    begun.ask("create configmap by-hand")
    return begun


@pytest.mark.parametrize(
    ("kubernetes", "flags", "said"),
    [
        ("1.30", "--all", "configmap/one unchanged\nconfigmap/two pruned\nsecret/s pruned\n"),
        ("1.20", "-l app=a", "configmap/one unchanged\nconfigmap/two pruned\n"),
        ("1.37", "-l app=a", f"{ENDPOINTS}configmap/one unchanged\nconfigmap/two pruned\n"),
        ("1.30", "-l app=a -o name", "configmap/one\nconfigmap/two\n"),
        ("1.30", "--all --prune-allowlist=core/v1/Secret", "configmap/one unchanged\nsecret/s pruned\n"),
        ("1.20", "--all --prune-whitelist=core/v1/Secret", "configmap/one unchanged\nsecret/s pruned\n"),
        ("1.30", "-l app=a --dry-run=server", "configmap/one unchanged (server dry run)\nconfigmap/two pruned (server dry run)\n"),
        (
            "1.20",
            "--all --prune-allowlist=core/v1/Secret",
            "Error: unknown flag: --prune-allowlist\nSee 'kubectl apply --help' for usage.\n",
        ),
        (
            "1.30",
            "--all --prune-whitelist=core/v1/Secret",
            "error: unknown flag: --prune-whitelist\nSee 'kubectl apply --help' for usage.\n",
        ),
        ("1.30", "--all -l app=a", "error: cannot set --all and --selector at the same time\n"),
        ("1.30", "--all --prune-allowlist=core/v1/Nope", 'error: no matches for kind "Nope" in version "v1"\n'),
    ],
)
def test_what_is_not_in_the_input_is_pruned(kubernetes: str, flags: str, said: str) -> None:
    assert session(kubernetes).ask(f"apply --prune {flags} -f - <<EOF\n{a_map('one')}EOF") == said


def test_renamed_flag_is_taken_with_a_note_for_a_while() -> None:
    said = session("1.27").ask(f"apply --prune --all --prune-whitelist=core/v1/Secret -f - <<EOF\n{a_map('one')}EOF")
    assert said.startswith("Flag --prune-whitelist has been deprecated, Use --prune-allowlist instead.\n")


def test_what_is_pruned_is_gone_and_the_rest_stays() -> None:
    begun = session()
    begun.ask(f"apply --prune --all -f - <<EOF\n{a_map('one')}EOF")
    assert begun.ask("get cm -o name") == "configmap/by-hand\nconfigmap/kube-root-ca.crt\nconfigmap/one\n"


def test_pruning_everything_has_to_be_said() -> None:
    said = session().ask(f"apply --prune -f - <<EOF\n{a_map('one')}EOF")
    assert said.startswith("error: all resources selected for prune without explicitly passing --all.")


def test_nothing_is_pruned_where_an_object_is_refused() -> None:
    begun = session()
    said = begun.ask(f"apply --prune --all -f - <<EOF\n{a_map('No_name')}EOF")
    assert "is invalid" in said and "pruned" not in said


def test_selector_leaves_out_objects_of_the_input() -> None:
    begun = session()
    assert begun.ask(f"apply -l app=b -f - <<EOF\n{a_map('three')}---\n{SECRET}EOF") == "secret/s unchanged\n"
    assert begun.ask(f"apply -l app=c -f - <<EOF\n{SECRET}EOF") == "error: no objects passed to apply\n"
