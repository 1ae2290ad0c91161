"""apply -f - and create -f - with a manifest pasted after the line or piped in."""

import json
import re

import pytest

from simulator.headless.session import Session
from simulator.kubectl.acting.verbs import NeedsEditor, action_of
from tests.engine.worlds import container, header, pod, run

MAP = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata: {a: b}\n"


@pytest.fixture
def asked() -> Session:
    world, records = run(header(pod(container())), 5)
    return Session(world, records, now_ms=5_000)


def test_manifests_of_a_here_document_are_applied_one_by_one(asked):
    text = f"kubectl apply -f - <<EOF\n{MAP}---\n# nothing\n---\n{MAP.replace('name: c', 'name: d, namespace: kube-system')}EOF"
    assert asked.ask(text) == "configmap/c created\nconfigmap/d created\n"
    assert asked.ask("get cm d -n kube-system -o jsonpath='{.data.a}'") == "b"


def test_same_manifest_is_unchanged_and_another_is_configured(asked):
    asked.ask(f"cat <<EOF | kubectl apply -f -\n{MAP}EOF")
    assert asked.ask(f"apply -f - <<EOF\n{MAP}EOF") == "configmap/c unchanged\n"
    assert asked.ask(f"apply -f - <<EOF\n{MAP.replace('a: b', 'a: c')}EOF") == "configmap/c configured\n"


def test_create_is_refused_where_there_is_such_an_object(asked):
    item = '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"e"}}'
    line = f'echo \'{{"apiVersion":"v1","kind":"List","items":[{item}]}}\' | k create -f -'
    assert asked.ask(line) == "configmap/e created\n"
    assert asked.ask(line) == 'Error from server (AlreadyExists): error when creating "STDIN": configmaps "e" already exists\n'


def test_dry_run_of_the_server_judges_and_does_nothing(asked):
    assert asked.ask(f"apply --dry-run=server -f - <<EOF\n{MAP}EOF") == "configmap/c created (server dry run)\n"
    assert "not found" in asked.ask("get cm c")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("kind: Pod", 'error: error validating "STDIN": error validating data: apiVersion not set; if you choose'),
        ("a: b", 'error: error validating "STDIN": error validating data: [apiVersion not set, kind not set]; if you choose'),
        ("a: [", "error: error parsing STDIN"),
        ("- a", "error: error parsing STDIN"),
        ("#", "error: no objects passed to apply"),
        ("apiVersion: v1\nkind: Pod\nmetadata: {}", "error: resource name may not be empty"),
    ],
)
def test_text_that_is_not_a_manifest_is_refused(asked, text, said):
    assert asked.ask(f"apply -f - <<EOF\n{text}\nEOF").startswith(said)


def test_line_without_a_text_needs_the_editor(asked):
    with pytest.raises(NeedsEditor):
        action_of(asked.world, "apply -f -")


def test_objects_of_the_input_are_shown_in_its_order_and_deleted(asked):
    text = f"<<EOF\n{MAP}---\napiVersion: v1\nkind: Pod\nmetadata: {{name: p}}\n---\n{MAP.replace('name: c', 'name: d')}EOF"
    asked.ask(f"apply -f - <<EOF\n{MAP}EOF")
    shown = asked.ask(f"get -f - {text}").splitlines()
    assert [line.split()[0] for line in shown if line] == ["NAME", "configmap/c", "NAME", "pod/p", "Error"]
    assert asked.ask(f"delete -f - {text}") == (
        'configmap "c" deleted\npod "p" deleted\nError from server (NotFound): error when deleting "STDIN": configmaps "d" not found\n'
    )


def test_words_next_to_an_input_are_refused(asked):
    said = "error: when paths, URLs, or stdin is provided as input, you may not specify resource arguments as well\n"
    assert asked.ask(f"get pods -f - <<EOF\n{MAP}EOF") == said


@pytest.mark.parametrize(
    ("kubernetes", "said"),
    [
        ("1.20", 'error: unable to recognize "STDIN": no matches for kind "Nope" in version "v1"\n'),
        (
            "1.30",
            'error: resource mapping not found for name: "none" namespace: "" from "STDIN": no matches for kind "Nope" in version "v1"\n'
            "ensure CRDs are installed first\n",
        ),
    ],
)
def test_kind_that_nothing_knows_is_not_sent(kubernetes, said):
    world, records = run(header(pod(container()), kubernetes=kubernetes), 5)
    asked = Session(world, records, now_ms=5_000)
    assert asked.ask("apply -f - <<EOF\napiVersion: v1\nkind: Nope\nmetadata: {name: none}\nEOF") == said


def test_server_side_apply_is_reported_and_conflicts_until_it_is_forced(asked):
    assert asked.ask(f"apply --server-side -f - <<EOF\n{MAP}EOF") == "configmap/c serverside-applied\n"
    other = f"-f - <<EOF\n{MAP.replace('a: b', 'a: c')}EOF"
    said = asked.ask(f"apply --server-side --field-manager=other {other}").splitlines()
    assert said[0] == 'error: Apply failed with 1 conflict: conflict with "kubectl": .data.a'
    assert said[1].startswith("Please review the fields above") and said[-1].endswith("#conflicts")
    assert asked.ask(f"apply --server-side --field-manager=other --force-conflicts {other}") == "configmap/c serverside-applied\n"
    assert asked.ask("get cm c -o jsonpath='{.data.a}'") == "c"


POD = "apiVersion: v1\nkind: Pod\nmetadata: {name: q}\nspec: {containers: [{name: a, image: 'busybox:1.28', command: [sleep, '9']}]}\n"


def sent(verb: str, text: str) -> str:
    """A line with a manifest as its input."""
    return f"{verb} -f - <<'EOF'\n{text}EOF"


def test_what_was_applied_last_is_shown_as_client_side_apply_notes_it(asked):
    asked.ask(sent("apply", MAP))
    asked.ask("label cm c x=y")
    shown = "apiVersion: v1\ndata:\n  a: b\nkind: ConfigMap\nmetadata:\n  annotations: {}\n  name: c\n  namespace: default\n"
    assert asked.ask("apply view-last-applied cm/c") == shown
    assert asked.ask("apply view-last-applied cm/nope") == 'Error from server (NotFound): configmaps "nope" not found\n'


def test_a_dry_run_of_apply_prints_the_object_with_its_note(asked):
    printed = asked.ask(sent("apply --dry-run=client -o json", MAP))
    assert '"kubectl.kubernetes.io/last-applied-configuration": "{\\"apiVersion\\":\\"v1\\",\\"data\\":{\\"a\\":\\"b\\"}' in printed
    assert "creationTimestamp" not in printed and "not found" in asked.ask("get cm c")


def test_a_dry_run_by_the_server_prints_what_would_be_stored(asked):
    printed = asked.ask(sent("create --dry-run=server -o yaml", POD))
    assert "  restartPolicy: Always\n" in printed and "not found" in asked.ask("get pod q")
    assert asked.ask(sent("create --dry-run=client -o name", POD)) == "pod/q\n"


def test_a_dry_run_by_the_server_prints_no_object_that_it_refuses(asked):
    asked.ask(sent("create", MAP))
    said = asked.ask(sent("create --dry-run=server -o name", MAP))
    assert said == 'Error from server (AlreadyExists): error when creating "STDIN": configmaps "c" already exists\n'


def test_a_dry_run_by_the_server_prints_the_name_that_it_makes_up(asked):
    printed = asked.ask(sent("create --dry-run=server -o name", POD.replace("name: q", "generateName: q-")))
    assert re.fullmatch(r"pod/q-\w{5}\n", printed) and "not found" in asked.ask(f"get {printed}")


def test_apply_prints_the_name_alone_where_that_is_asked_for(asked):
    assert [asked.ask(sent("apply -o name", MAP)) for _ in range(2)] == ["configmap/c\n"] * 2
    assert asked.ask(sent("apply -o name", f"{MAP}---\n{POD}")) == "configmap/c\npod/q\n"
    assert asked.ask(sent("apply -o yaml", f"{MAP}---\n{POD}")).startswith("apiVersion: v1\nitems:\n")


def test_an_object_is_replaced_by_its_input(asked):
    asked.ask(sent("create", MAP))
    assert asked.ask(sent("replace", MAP.replace("a: b", "a: z"))) == "configmap/c replaced\n"
    assert asked.ask("get cm c -o jsonpath='{.data.a}'") == "z"
    missing = 'Error from server (NotFound): error when replacing "STDIN": configmaps "d" not found\n'
    assert asked.ask(sent("replace", MAP.replace("name: c", "name: d"))) == missing


def test_a_pod_is_replaced_by_force_with_a_new_one(asked):
    asked.ask(sent("create", POD))
    uid = asked.ask("get pod q -o jsonpath='{.metadata.uid}'")
    assert asked.ask(sent("replace --force", POD.replace("'9'", "'8'"))) == 'pod "q" deleted\npod/q replaced\n'
    assert asked.ask("get pod q -o jsonpath='{.metadata.uid}'") != uid


def test_diff_shows_what_apply_would_change(asked):
    asked.ask(sent("apply", MAP))
    assert asked.ask(sent("diff", MAP)) == ""
    changed = asked.ask(sent("diff", MAP.replace("a: b", "a: z"))).splitlines()
    assert changed[0] == "diff -u -N /tmp/LIVE/v1.ConfigMap.default.c /tmp/MERGED/v1.ConfigMap.default.c"
    assert [text for text in changed[3:] if text[0] in "+-"] == ["-  a: b", "+  a: z"]
    assert asked.ask("diff") == "error: must specify one of -f and -k\n"


def test_diff_shows_a_new_object_as_a_whole(asked):
    assert "+  name: c" in asked.ask(sent("diff", MAP)).splitlines()


def test_a_body_that_is_not_json_is_refused_with_the_servers_message(asked):
    said = asked.ask("create --raw /api/v1/namespaces/default/pods -f - <<'EOF'\napiVersion: v1\nEOF")
    assert said.startswith("Error from server (BadRequest): the object provided is unrecognized (must be of type Pod): ")
    assert "invalid character 'a' looking for beginning of value (61706956657273696f6e3a207631" in said


def test_a_body_that_is_posted_makes_an_object(asked):
    body = '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"raw"}}'
    said = json.loads(asked.ask(f"create --raw /api/v1/namespaces/default/configmaps -f - <<'EOF'\n{body}\nEOF"))
    assert (said["kind"], said["metadata"]["name"], "uid" in said["metadata"]) == ("ConfigMap", "raw", True)
    assert asked.ask("get cm raw -o name") == "configmap/raw\n"


@pytest.mark.parametrize("path", ["/nowhere", "/api/v1/namespaces/default/nopes", "/apis/apps/v1/namespaces/default/pods"])
def test_a_body_for_a_resource_that_the_server_does_not_have_is_refused(asked, path):
    assert asked.ask(f"create --raw {path} -f - <<'EOF'\n{{}}\nEOF") == (
        "Error from server (NotFound): the server could not find the requested resource\n"
    )


def test_bodies_are_sent_as_kubectl_sends_them():
    world, records = run(header(pod(container()), kubernetes="1.20"), 5)
    said = Session(world, records, now_ms=5_000).ask(sent("apply", POD.replace("'9'", "9")))
    assert said.startswith('Error from server (BadRequest): error when creating "STDIN": Pod in version "v1" cannot be handled as a Pod')
    assert '"spec":{"containers":[{"command":["sleep",9],"image":"busybox:1.28","name":"a"}]}}|...' in said


def test_a_namespace_that_is_not_the_lines_is_refused(asked):
    said = asked.ask(sent("apply -n two", MAP.replace("name: c", "name: c, namespace: one")))
    assert said == (
        'error: the namespace from the provided object "one" does not match the namespace "two". '
        "You must pass '--namespace=one' to perform this operation.\n"
    )


def test_a_name_that_the_server_makes_up_is_reported(asked):
    said = asked.ask(sent("create", POD.replace("name: q", "generateName: q-")))
    assert said == f"{asked.ask('get pods -o name').split()[-1]} created\n" and said.startswith("pod/q-")


@pytest.mark.parametrize(
    ("kubernetes", "said"),
    [
        (
            "1.24",
            'error: error validating "STDIN": error validating data: ValidationError(Pod.spec.containers[0]): unknown field "imagge" in '
            "io.k8s.api.core.v1.Container; if you choose to ignore these errors, turn validation off with --validate=false\n",
        ),
        (
            "1.25",
            'Error from server (BadRequest): error when creating "STDIN": Pod in version "v1" cannot be handled as a Pod: '
            'strict decoding error: unknown field "spec.containers[0].imagge"\n',
        ),
    ],
)
def test_a_field_that_the_kind_does_not_have_is_refused(kubernetes, said):
    world, records = run(header(pod(container()), kubernetes=kubernetes), 5)
    asked, text = Session(world, records, now_ms=5_000), POD.replace("name: a,", "name: a, imagge: b,")
    assert asked.ask(sent("apply", text)) == said
    assert asked.ask(sent("apply --validate=false", text)) == "pod/q created\n"


def test_apply_notes_what_was_applied_and_in_whose_name(asked):
    asked.ask(sent("apply", MAP))
    noted = asked.ask("get cm c -o yaml --show-managed-fields")
    assert "kubectl.kubernetes.io/last-applied-configuration: |" in noted
    assert "manager: kubectl-client-side-apply" in noted
    assert "managedFields" not in asked.ask("get cm c -o yaml")


def test_apply_warns_about_an_object_without_its_annotation(asked):
    asked.ask(sent("create", MAP))
    warning, done = asked.ask(sent("apply", MAP)).splitlines()
    assert warning.startswith("Warning: resource configmaps/c is missing the kubectl.kubernetes.io/last-applied-configuration annotation")
    assert done == "configmap/c configured"
    assert asked.ask(sent("apply", MAP)) == "configmap/c unchanged\n"


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("label cm c a=b -o jsonpath='{.metadata.labels}'", '{"a":"b"}'),
        ("annotate cm c x=y -o name", "configmap/c\n"),
        ("create cm d --from-literal=k=v -o jsonpath='{.data.k} {.metadata.name}'", "v d"),
        ("""patch cm c -p '{"data":{"a":"z"}}' --dry-run=server -o jsonpath='{.data.a}'""", "z"),
    ],
)
def test_a_line_that_changes_prints_what_it_made(asked, line, text):
    asked.ask(sent("apply", MAP))
    assert asked.ask(line) == text


def test_nothing_is_stored_by_a_dry_run_that_prints(asked):
    asked.ask(sent("apply", MAP))
    before = asked.ask("get cm c -o yaml")
    assert "a: z" in asked.ask("""patch cm c -p '{"data":{"a":"z"}}' --dry-run=server -o yaml""")
    assert asked.ask("get cm c -o yaml") == before


def test_words_about_an_invalid_object_do_not_name_the_input(asked):
    said = asked.ask(sent("create", POD.replace("name: q", "name: Q")))
    assert said.startswith('The Pod "Q" is invalid: metadata.name: Invalid value') and "STDIN" not in said


def test_objects_of_the_input_are_got_in_their_namespace_or_in_none(asked):
    asked.ask(sent("create", MAP))
    texts = ["apiVersion: v1\nkind: Namespace\nmetadata: {name: default}\n", MAP, MAP.replace("name: c", "name: d")]
    said = asked.ask(sent("get -o name", "---\n".join(texts))).splitlines()
    assert said == ["namespace/default", "configmap/c", 'Error from server (NotFound): configmaps "d" not found']


def test_last_applied_configuration_is_set_without_applying_it(asked):
    line, other = "apply set-last-applied -f - <<EOF\n", MAP.replace("a: b", "a: c")
    assert asked.ask(f"{line}{MAP}EOF") == 'Error from server (NotFound): configmaps "c" not found\n'
    asked.ask(f"create -f - <<EOF\n{MAP}EOF")
    assert asked.ask(f"{line}{other}EOF").startswith("error: no last-applied-configuration annotation found on resource: c, to create")
    assert asked.ask(f"{line.replace('-f -', '--create-annotation -f -')}{other}EOF") == "configmap/c configured\n"
    assert asked.ask("get cm c -o jsonpath='{.data.a}'") == "b"
    assert '"a": "c"' in asked.ask("apply view-last-applied cm/c -o json")
