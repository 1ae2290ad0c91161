"""What a level's text may say, and the place that each refusal names."""

import pytest

from simulator.engine.acts.objects.apply import ApplyManifest
from simulator.levels.reading import BadLevel, read_level
from simulator.levels.start import start_of

HEAD = 'title = "t"\nstory = "hello-pod"\nhorizon = "60s"\n'
CHECK = '[[check]]\nid = "a"\nnever = { machine = "stop" }\n'
ASK = '[[ask]]\nid = "q"\nat = "5s"\nquestion = "?"\nplace = { machine = "stop" }\n'
FAILS = '[[solution]]\nname = "s"\nexpect = "fail"\n'


def refused(text):
    with pytest.raises(BadLevel) as caught:
        read_level(text)
    return caught.value.problems


@pytest.mark.parametrize(
    ("text", "place"),
    [
        (HEAD.replace("horizon", "horizont") + CHECK, "horizont: "),
        (HEAD + 'slug = "mine"\n' + CHECK, "slug: "),
        (HEAD.replace("60s", "-5s") + CHECK, "horizon: '-5s' is no span of time"),
        (HEAD.replace("60s", "") + CHECK, "horizon: '' is no span of time"),
        (HEAD + CHECK.replace("never", "nevr"), "check[0].nevr: "),
        (HEAD + CHECK.replace("machine", "machin"), "check[0].never.machin: "),
        (HEAD + CHECK + 'within = "5 seconds"\n', "check[0].within: '5 seconds' is no span of time"),
        (HEAD + CHECK + 'from = "soon"\n', "check[0].from: 'soon' is no span of time"),
        (HEAD + CHECK + ASK + 'tolerance = ""\n', "ask[0].tolerance: '' is no span of time"),
        (HEAD + CHECK + FAILS + 'acts = [{ at = "1s", do = "remove" }]\n', "solution[0].acts[0].do: "),
        (HEAD + CHECK + FAILS + 'acts = [{ at = "1s", do = "delete_pod", grace = 3 }]\n', "solution[0].acts[0].grace: "),
        (HEAD + CHECK + FAILS + 'acts = [{ at = "61s", do = "delete_pod", target = "default/a" }]\n', "solution[0].acts[0].at: "),
        (HEAD + CHECK + FAILS + 'acts = [{ at = "soon", do = "delete_pod", target = "default/a" }]\n', "solution[0].acts[0].at: 'soon'"),
        (HEAD + CHECK + FAILS + """acts = [{ at = 1, do = "apply", documents = ["kind: [Pod"] }]\n""", "solution[0].acts[0].documents: "),
        (HEAD + CHECK + FAILS + """acts = [{ at = 1, do = "replace", document = "just words" }]\n""", "solution[0].acts[0].document: "),
        (HEAD + 'brief = ["a", "b\\u0000"]\n' + CHECK, "brief[1]: character U+0000"),
        (HEAD + CHECK + "times = 1.5\n", "check[0].times: "),
        (HEAD + CHECK + 'from = "61s"\n', "check[0].from: "),
        (HEAD + '[[check]]\nid = "a"\nalways = { machine = "phase", target = "Running" }\nat = "61s"\n', "check[0].at: "),
        (HEAD + CHECK + 'from = "9s"\nby = "8s"\n', "check[0].by: "),
        (HEAD + '[[check]]\nid = "a"\nnever = { data = { exit_code = { min = 2, max = 1 } } }\n', "check[0].never.data"),
        (HEAD + 'script = "- {at: 1, exit: {pod: a, container: b, code: 1}}"\n' + CHECK, "script: "),
        (HEAD + 'cluster = "nodes: 5"\n' + CHECK, "cluster: "),
        (HEAD.replace("story", "scenario") + 'kubernetes = "1.30"\n' + CHECK, "kubernetes: "),
        (HEAD.replace("story", "scenario") + "gates = { SidecarContainers = true }\n" + CHECK, "gates: "),
        (HEAD.replace("story", "scenario") + "jitter = false\n" + CHECK, "jitter: "),
    ],
)
def test_refusal_begins_with_the_place(text, place):
    (problem,) = refused(text)
    assert problem.startswith(place)


def test_scope_may_be_the_last_instant():
    assert read_level(HEAD + '[[check]]\nid = "a"\nalways = { machine = "phase", target = "Running" }\nat = "60s"\n').checks


def test_bare_number_is_seconds():
    bare = HEAD.replace('"60s"', "60") + CHECK + "from = 1.5\nby = 20\n" + ASK.replace('"5s"', "5") + "tolerance = 3\n"
    spelt = HEAD + CHECK + 'from = "1.5s"\nby = "20s"\n' + ASK + 'tolerance = "3s"\n'
    assert read_level(bare) == read_level(spelt)


def test_whole_number_may_be_written_with_a_point():
    points = CHECK.replace('machine = "stop"', "data = { exit_code = 0.0, instance = { min = 1.0 }, group = [2.0] }") + "points = 2.0\n"
    assert read_level(HEAD + "seeds = [7.0]\n" + points) == read_level(HEAD + "seeds = [7]\n" + points.replace(".0", ""))


def test_byte_order_mark_is_no_part_of_the_text():
    assert read_level("\ufeff" + HEAD + CHECK) == read_level(HEAD + CHECK)


MANIFEST = "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}"
ALONE = HEAD.replace('story = "hello-pod"', f'manifests = "{MANIFEST}"')


def test_cluster_and_script_may_be_tables():
    tables = '[[script]]\nat = 5\nscale = { name = "a", replicas = 2 }\n[cluster]\nnodes = [{ name = "n1" }]\n'
    level = read_level(ALONE + CHECK + tables)
    start = start_of(level, seed=1).header
    assert ([node.name for node in start.cluster.nodes], [step.at_ms for step in start.script]) == (["n1"], [5000])


def test_manifests_may_be_a_list():
    listed = ALONE.replace(f'"{MANIFEST}"', f'["{MANIFEST}", "{MANIFEST.replace("name: a", "name: b")}"]')
    assert len(start_of(read_level(listed + CHECK), seed=1).header.manifests) == 2


@pytest.mark.parametrize(
    "documents",
    [
        """["{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}"]""",
        """['{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"}}']""",
        """[{ apiVersion = "v1", kind = "ConfigMap", metadata = { name = "a" } }]""",
        """'''
apiVersion: v1
kind: ConfigMap
metadata:
  name: a
'''""",
    ],
)
def test_objects_in_an_act_may_be_yaml_or_tables(documents):
    act = f'acts = [{{ at = 1, do = "apply", documents = {documents} }}]\n'
    (step,) = read_level(HEAD + CHECK + FAILS + act).solutions[0].steps()
    assert step.command == ApplyManifest(documents=('{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"}}',))


def test_text_of_several_objects_is_several_documents():
    act = f'acts = [{{ at = 1, do = "apply", documents = ["""{MANIFEST}\n---\n{MANIFEST}"""] }}]\n'
    (step,) = read_level(HEAD + CHECK + FAILS + act).solutions[0].steps()
    assert len(step.command.documents) == 2


@pytest.mark.parametrize(
    ("patch", "told"),
    [
        ('{ metadata = { labels = { a = "b" } } }', '{"metadata":{"labels":{"a":"b"}}}'),
        ("'metadata: {labels: {a: b}}'", '{"metadata":{"labels":{"a":"b"}}}'),
        ('\'[{"op": "remove"}]\'', '[{"op": "remove"}]'),
        ("'{\"metadata\":'", '{"metadata":'),
    ],
)
def test_patch_may_be_yaml_or_a_table(patch, told):
    act = f'acts = [{{ at = 1, do = "patch_pod", target = "default/a", patch = {patch} }}]\n'
    (step,) = read_level(HEAD + CHECK + FAILS + act).solutions[0].steps()
    assert step.command.patch == told


def test_version_is_that_of_kubernetes():
    assert read_level(HEAD + "version = 1.30\n" + CHECK) == read_level(HEAD + 'kubernetes = "1.30"\n' + CHECK)
    assert read_level(HEAD + 'version = "1.30"\n' + CHECK) == read_level(HEAD + 'kubernetes = "1.30"\n' + CHECK)
    assert refused(HEAD + 'version = "1.30"\nkubernetes = "1.31"\n' + CHECK)[0].startswith("version: ")


def test_any_may_stand_with_what_it_is_about():
    rows = ('after = { kind = "command", any = true }\n', 'after = { kind = "command" }\nany = true\n')
    inside, beside = (read_level(HEAD + CHECK.replace("never", "eventually") + row) for row in rows)
    assert inside == beside


def test_each_may_stand_with_what_it_is_about():
    inside = CHECK + 'after = { kind = "command", each = true }\n'
    beside = CHECK + 'after = { kind = "command" }\neach = true\n'
    assert read_level(HEAD + inside) == read_level(HEAD + beside)
    assert refused(HEAD + inside + "each = true\n")[0].startswith("check[0].after.each: ")


def test_create_is_an_apply_that_only_creates():
    act = 'acts = [{ at = "1s", do = "create", documents = ["{}"] }]\n'
    (step,) = read_level(HEAD + CHECK + FAILS + act).solutions[0].steps()
    assert step.command == ApplyManifest(documents=("{}",), create=True)


def test_yes_is_no_number_of_seconds():
    (problem,) = refused(HEAD + CHECK + "by = true\n")
    assert problem.startswith("check[0].by: ")
