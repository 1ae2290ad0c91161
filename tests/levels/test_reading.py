"""What a level's text may say, and the place that each refusal names."""

import pytest

from simulator.engine.acts.objects.apply import ApplyManifest
from simulator.levels.reading import BadLevel, read_level

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


def test_version_is_that_of_kubernetes():
    assert read_level(HEAD + 'version = "1.30"\n' + CHECK) == read_level(HEAD + 'kubernetes = "1.30"\n' + CHECK)
    assert refused(HEAD + 'version = "1.30"\nkubernetes = "1.31"\n' + CHECK)[0].startswith("version: ")


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
