"""-o jsonpath, custom-columns and go-template, and --sort-by.

``recorded/printing.json`` has the output of kubectl 1.20.0, 1.33 and 1.37.1 for each line: [first minor, text]. They were run against a
small server that had the objects of this world.
"""

import json
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from simulator.kubectl.kubectl import LINE_MAX, kubectl
from simulator.kubectl.line import BadLine
from simulator.kubectl.output.formats import print_columns, print_template, sorted_by
from simulator.kubectl.output.go_template import GoTemplate, TemplateError
from simulator.kubectl.output.go_values import go_sprint
from simulator.kubectl.output.jsonpath import JSONPath, PathError
from tests.engine.worlds import container, header, pod, run
from tests.kubectl.test_creating import DEPLOYMENT, SERVICE

RECORDED: dict[str, list[list[Any]]] = json.loads(Path(__file__).with_name("recorded").joinpath("printing.json").read_text())


@pytest.fixture(scope="module")
def world():
    labelled = pod(container())
    labelled["metadata"]["labels"] = {"app": "x", "tier": "front"}
    return run(header(labelled, pod(container(), name="q"), DEPLOYMENT, SERVICE, kubernetes="1.33"), 30)[0]


@pytest.mark.parametrize("line", RECORDED)
def test_line_prints_what_kubectl_printed(world, line):
    assert kubectl(world, line) == [text for since, text in RECORDED[line] if since <= 33][-1]


def test_format_that_came_later_is_listed_by_later_clients():
    world, _ = run(header(pod(container()), kubernetes="1.37"), 5)
    assert ",jsonpath-file,kyaml,name," in kubectl(world, "get pods -o foo")


def test_failing_template_is_reported_with_the_object(world):
    text = kubectl(world, "get deploy d -o jsonpath='{.spec.template.spec.containers[7]}'")
    assert text.startswith(
        'error: error executing jsonpath "{.spec.template.spec.containers[7]}": Error executing template: array index out'
    )
    assert 'map[string]interface {}{"apiVersion":"apps/v1", "kind":"Deployment", ' in text


DOCUMENT = {"a": [{"n": 1, "t": "x"}, {"n": 2, "t": "y"}], "m": {"b": {"c": 1}, "a": None}, "f": 0.5, "big": 1e21}


@pytest.mark.parametrize(
    ("template", "found"),
    [
        ("{.a[?(@.n>1)].t}", [["y"]]),
        ('{.a[?(@.t=="x")].n}', [[1]]),
        ("{.a[?(@.nope)].n}", [[]]),
        ("{.m.*}", [[None, {"c": 1}]]),
        ("{.m..c}", [[1]]),
        ("{.a[*]['n','t']}", [[1, 2, "x", "y"]]),
        ("{range .a[*]}{.n}{end}{.f}", [[1], [2], [0.5]]),
        ("{range .nope[*]}{.n}{end}after", [["after"]]),
        ("{['f']}", [[0.5]]),
    ],
)
def test_path_finds(template, found):
    assert JSONPath(template).results(DOCUMENT) == found


@pytest.mark.parametrize(
    ("template", "problem"),
    [
        ("{.a[?(@.n>'x')]}", "incompatible types for comparison"),
        ("{.m[0]}", r"map\[string\]interface {} is not array or slice"),
        ("{.a[1:0]}", "starting index 1 is greater than ending index 0"),
        ("{.a[::0]}", "step must be > 0"),
        ("{.a[?(@.n=1)]}", "unrecognized filter operator ="),
        ("{foo}", "unrecognized identifier foo"),
        ("{......a}", "invalid multiple recursive descent"),
        ("{.a[?(@.n==1}", "unterminated filter"),
        ('{"x}', "unterminated quoted string"),
    ],
)
def test_path_is_refused_in_the_words_of_the_library(template, problem):
    with pytest.raises(PathError, match=problem):
        JSONPath(template).results(DOCUMENT)


def test_values_are_printed_as_go_prints_them():
    assert [go_sprint(value) for value in (1e21, 1e20, 0.00001, 0.5, None, True, [1, "a"], {"b": 1, "a": None})] == [
        "1e+21", "100000000000000000000", "1e-05", "0.5", "<nil>", "true", "[1 a]", "map[a:<nil> b:1]",
    ]  # fmt: skip


@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    "template",
    ["{..*..*..*..*..*..*}", "{" + "..a" * 100 + "}", "{[?(" * 60, "{" + "[*]" * 150 + "}", "{range .a[*]}" * 35, "{..[?(@..n)]}" * 20],
)
def test_hostile_path_ends(template):
    assert len(template) < LINE_MAX
    deep: Any = {}
    for _ in range(60):
        deep = {"a": [deep, 1], "b": deep}
        if len(str(deep)) > 20_000:
            break
    with suppress(PathError):
        JSONPath(template).results(deep)


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ('index .m "b" "c"', "1"),
        ("index .a 1", "map[n:2 t:y]"),
        ('index .m "none"', "<no value>"),
        ("index .m 0", "cannot index with 0"),
        ('index .a "0"', "cannot index with 0"),
        ('index .f "x"', "cannot index with x"),
        ("index .a 2", "index out of range: 2"),
        ("index .a -1", "index out of range: -1"),
        ('index .m "none" "x"', "index of untyped nil"),
    ],
)
def test_index_takes_names_of_maps_and_places_of_lists(asked, found):
    try:
        printed = GoTemplate("{{" + asked + "}}").text_of(DOCUMENT)
    except TemplateError as error:
        printed = str(error).rpartition("error calling index: ")[2]
    assert printed == found


@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    "template",
    [
        "{{range .}}" * 18 + "x" + "{{end}}" * 18,
        "{{if .}}" * 60,
        "{{" * 50,
        "{{(" * 40,
        '{{printf "%99999d" 1}}',
        "{{end}}",
        "{{index . 1 2 3}}",
    ],
)
def test_hostile_go_template_ends(template):
    document: Any = [1] * 50
    for _ in range(10):
        document = [document] * 2
    with suppress(TemplateError):
        assert len(GoTemplate(template).text_of(document)) < 1 << 22


@pytest.mark.parametrize(
    "template",
    [
        "{{$x := print 1234567890}}" + "{{$x = print $x $x $x $x $x $x $x $x}}" * 10,
        '{{$x := printf "%999s" 1}}' + '{{$x = printf "%s%s%s%s" $x $x $x $x}}' * 9,
        "{{$x := print" + " ." * 200 + "}}",
    ],
)
def test_text_that_a_template_makes_is_bounded_before_it_is_made(template):
    document = {"a": ["x" * 100] * 500}
    with pytest.raises(TemplateError, match="does more than"):
        GoTemplate(template).text_of(document)


def print_failed(name, text, document):
    """The message about a template that cannot be printed."""
    with pytest.raises(BadLine) as caught:
        print_template(name, text, document)
    return str(caught.value)


def test_what_a_path_prints_is_bounded():
    spec = {"containers": ["x" * 1000] * 20}
    document = {"items": [{"spec": spec}] * 50}
    text = print_failed("jsonpath", "{.items[" + ",".join([":"] * 100) + "]['spec','spec','spec']}", document)
    assert "the template prints more than this command line does" in text
    assert "prints more" in print_failed("jsonpath-as-json", "{.items[" + ",".join([":"] * 100) + "]['spec','spec','spec']}", document)


def test_columns_and_orders_of_many_objects_are_counted_together():
    documents = [{"a": {str(n): {"b": {"c": "d"}} for n in range(400)}}] * 2000
    for ask in (
        lambda: print_columns("A:.a.*.*.*,B:.a.*.*.*", documents, with_head=True),
        lambda: sorted_by(".a.*.*.*", documents, natural=False),
    ):
        with pytest.raises(BadLine, match="looks at more values"):
            ask()


def test_one_wide_cell_does_not_widen_thousands_of_rows():
    documents = [{"a": "x" * 100_000, "b": "y"}, *[{"a": "x", "b": "y"}] * 2000]
    with pytest.raises(BadLine, match="larger than this command line prints"):
        print_columns("A:.a,B:.b", documents, with_head=True)


def test_numbers_within_texts_are_ordered_by_size_whatever_surrounds_them():
    names = ["a2bcdefgh", "a1", "a10", "a01", "1a" * 20_000]
    ordered = [item["n"] for item in sorted_by(".n", [{"n": name} for name in names], natural=True)]
    assert ordered == ["1a" * 20_000, "a1", "a01", "a2bcdefgh", "a10"]


def test_half_of_a_character_is_none():
    with pytest.raises(PathError, match="invalid syntax"):
        JSONPath(r'{"\ud800"}')


@pytest.mark.parametrize(
    ("template", "text"),
    [("{{print 1 2}}", "1 2"), ('{{print 1 "a" 2 3}}', "1a2 3"), ('{{print "a" "b"}}', "ab"), ('{{println 1 "a"}}', "1 a\n")],
)
def test_print_puts_a_blank_between_two_of_which_neither_is_a_text(template, text):
    assert GoTemplate(template).text_of({}) == text


def rendered(template: str, document: Any = DOCUMENT) -> str:
    """What a template prints; the error's text if it fails."""
    try:
        return GoTemplate(template).text_of(document)
    except TemplateError as error:
        return str(error)


@pytest.mark.parametrize(
    ("template", "text"),
    [
        ("{{$x := .n}}{{$x}}", "7"),
        ("{{$x := 1}}{{$x = 2}}{{$x}}", "2"),
        ("{{$x}}", 'undefined variable "$x"'),
        ("{{$x :=}}", "missing value for command"),
        ("{{$x =}}", "missing value for command"),
    ],
)
def test_template_gives_a_name_to_a_value(template, text):
    assert rendered(template, {"n": 7}) == text


@pytest.mark.parametrize(
    ("operator", "of_less", "of_equal", "of_more"),
    [
        ("eq", "false", "true", "false"),
        ("ne", "true", "false", "true"),
        ("lt", "true", "false", "false"),
        ("le", "true", "true", "false"),
        ("gt", "false", "false", "true"),
        ("ge", "false", "true", "true"),
    ],
)
def test_template_compares_numbers_and_texts(operator, of_less, of_equal, of_more):
    for pairs in (("1 2", "2 2", "3 2"), ("0.5 1.5", ".f 0.5", "2.5 1.5"), ('"a" "b"', '"b" "b"', '"c" "b"')):
        assert [rendered(f"{{{{{operator} {pair}}}}}") for pair in pairs] == [of_less, of_equal, of_more], pairs


@pytest.mark.parametrize(
    ("template", "text"),
    [
        ("{{eq .m.a nil}} {{eq .f nil}} {{eq nil .f}} {{ne .f nil}} {{ne .m.a nil}}", "true false false true false"),
        ("{{eq 3 1 2 3}} {{eq 3 1 2}}", "true false"),
        ('{{and 1 0 2}} {{and 1 2}} {{or 0 "" 3}} {{or 0 ""}}|{{not 0}} {{not .f}}', "0 2 3 |true false"),
        ('{{len .a}} {{len .m}} {{len "é"}}', "2 2 2"),
        ("{{if (eq (len .a) 2)}}two{{end}}", "two"),
        ('{{print "(" (len .a) ")"}}', "(2)"),
        ('{{len (index .a 0)}} {{.a | len | printf "%d!"}}', "2 2!"),
        ('{{exists .m "b" "c"}} {{exists .m "z"}} {{exists .a 1}} {{exists .a 2}} {{exists .a -1}}', "true false true false false"),
        ('{{printf "%5s|%-5s|%q|%d%%" "a" "b" "c" 4}}', '    a|b    |"c"|4%'),
        ('{{printf "%s"}}', "%!s(MISSING)"),
        ("{{with .m.b}}{{.c}}{{else}}none{{end}} {{with .nope}}{{.c}}{{else}}{{.f}}{{end}}", "1 0.5"),
        ("{{if .nope}}a{{else if .f}}b{{else}}c{{end}}", "b"),
        ("{{if .nope}}a{{else if .nope}}b{{else}}c{{end}}", "c"),
        ("{{range .a}}{{.n}},{{end}} {{range $e := .a}}{{$e.t}}{{end}} {{range $k, $v := .m.b}}{{$k}}={{$v}}{{end}}", "1,2, xy c=1"),
        ("{{$x := 1}}{{$x}}{{$x = 2}}{{$x}} {{$.f}}", "12 0.5"),
        ("a {{- /* said to nobody */ -}} b {{- .f}} {{.f -}} c", "ab0.5 0.5c"),
        ('{{`raw\\n`}}{{"a\\n"}}', "raw\\na\n"),
        ("{{true}} {{false}} {{1.5}} {{.nope}}", "true false 1.5 <no value>"),
        ("{{range .f}}{{end}}", "range can't iterate over 0.5"),
        ("{{len .f}}", "error calling len: len of type float"),
        ("{{len .nope}}", "error calling len: len of nil pointer"),
        ("{{eq 1}}", "wrong number of args for eq: want at least 2 got 1"),
        ("{{.f.x}}", "can't evaluate field x in type interface {}"),
        ("{{$y}}", 'undefined variable "$y"'),
        ("{{else}}", "unexpected {{else}}"),
        ("{{if 1}}a{{else}}b{{else}}c{{end}}", "unexpected {{else}}"),
        ("{{if 1}}a", "unexpected EOF"),
        ("{{len (index .a 0}}", "unclosed left paren"),
        ("{{}}", "missing value for command"),
        ("{{.f .f}}", "can't give argument to non-function .f"),
    ],
)
def test_template_prints_as_go_does(template, text):
    assert text in rendered(template)


@pytest.mark.parametrize(
    ("values", "ordered"),
    [
        ([2, 10, 1], [1, 2, 10]),
        ([0.5, 0.25, 1.5], [0.25, 0.5, 1.5]),
        (["b", "a", "c"], ["a", "b", "c"]),
        (["1Gi", "200Mi", "1M"], ["1M", "200Mi", "1Gi"]),
        ([None, 1, None, 0], [None, None, 0, 1]),
        ([True, False], [False, True]),
        (["9", 10], [10, "9"]),
    ],
)
def test_objects_are_sorted_by_values_of_one_kind_and_by_text_otherwise(values, ordered):
    documents = [{"v": value} if value is not None else {} for value in values]
    assert [item.get("v") for item in sorted_by(".v", documents, natural=False)] == ordered
