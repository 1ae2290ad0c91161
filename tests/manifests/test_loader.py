"""From text to documents with positions."""

import pytest

from simulator.manifests.read.loader import load
from simulator.manifests.read.nodes import ReadLimits


def values(text):
    loaded = load(text)
    assert loaded.problems == ()
    return [document.value for document in loaded.documents]


def problem(text, **limits):
    (found,) = load(text, limits=ReadLimits(**limits)).problems
    return found


@pytest.mark.parametrize(
    ("plain", "value"),
    [
        ("yes", True), ("off", False), ("y", True), ("N", False), ("~", None), ("", None), ("0644", 420), ("0o17", 15), ("0x1F", 31),
        ("1_000", 1000), ("1:30", "1:30"), ("2020-01-01", "2020-01-01"), ("1e3", 1000), ("1.0", 1), (".5", 0.5), ("08", 8),
        ('"1"', "1"), ("+1", 1), ("1.2.3", "1.2.3"), ("12e", "12e"), ("!!str 1", "1"), ("!!int 1", 1), ("'yes'", "yes"),
    ],
)  # fmt: skip
def test_scalar_means_what_kubectl_reads(plain, value):
    (document,) = values(f"a: {plain}")
    assert document["a"] == value
    assert type(document["a"]) is type(value)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (r"""a: "it\'s" """, "it's"),
        (r"""a: "\'x\'" # it's""", "'x'"),
        ("a: \"one\\'\n  two\\'\"", "one' two'"),
        (r"""a: '\' """, "\\"),
        (r"""a: it\'s""", r"it\'s"),
        ("a: |\n  it\\'s\n", "it\\'s\n"),
        (r"""a: "\a\'" """, "\a'"),
        (r"""a: "\x07\'\b" """, "\a'\b"),
        (r"""a: "\\" """, "\\"),
        ("a: {b:, c: 1}", {"b:": None, "c": 1}),
        ("a: [b:, c:]", ["b:", "c:"]),
        ("a: [b:c, http://x:80/]", ["b:c", "http://x:80/"]),
        ("a: b?c", "b?c"),
        ("a: [\"b?c\", 'd?']", ["b?c", "d?"]),
        ("a: !Sub x", "x"),
        ("a: !Sub {b: 1}", {"b": 1}),
        ('a: !!python/object/apply:os.system ["x"]', ["x"]),
        ("a: !!binary aGk=", "hi"),
        ("a:\t1\t# tabs", 1),
        ("a: True", True),
        ("a: 0b11", 3),
        ("a: 0o", "0o"),
        ("a: -0x1F", -31),
        ("a: 1:30:00", "1:30:00"),
        ("a: 09", 9),
        ("a: =", "="),
        ("b: &b {c: 1}\na: [*b, *b]", [{"c": 1}, {"c": 1}]),
        ("b: &b {c: 1}\na: {<<: [*b, {d: 2}], c: 3}", {"c": 3, "d": 2}),
    ],
)
def test_text_means_what_kubectl_reads(text, value):
    assert values(text)[0]["a"] == value


@pytest.mark.parametrize(
    ("text", "column", "words"),
    [
        ("args: [-s, http://x/?a=b]", 21, "did not find expected ',' or ']'"),
        ("env: {url: x?y}", 13, "did not find expected ',' or '}'"),
    ],
)
def test_question_mark_in_brackets_is_refused_as_kubectl_does(text, column, words):
    found = problem(text)
    assert (found.code, found.line, found.column) == ("yaml", 1, column)
    assert words in found.message


def test_other_escapes_stay_unknown():
    found = problem('a: "x\\\'"\nb: "\\q"')
    assert (found.code, found.line) == ("yaml", 2)


def test_places_are_those_of_the_text_as_it_was_written():
    (document,) = load('a: "it\\\'s"\nb: {c:, d: 1}\n').documents
    assert document.locate("b.d") == (2, 12)


def test_very_many_apostrophes_do_not_cost_more_than_the_limit():
    text = "a:\n" + '- "\\\'"\n' * 40_000
    assert load(text).problems[0].code in ("yaml", "too-many-values")


def test_load_reads_every_document_and_skips_empty_ones():
    assert values("---\n---\na: 1\n---\n# nothing\n---\nb: 2\n") == [{"a": 1}, {"b": 2}]


def test_load_unfolds_lists():
    assert values("kind: List\nitems:\n- {kind: Pod}\n- {kind: Service}\n") == [{"kind": "Pod"}, {"kind": "Service"}]


def test_load_names_the_kind_of_a_typed_list():
    assert values("kind: PodList\napiVersion: v1\nitems:\n- {a: 1}\n") == [{"apiVersion": "v1", "kind": "Pod", "a": 1}]


def test_load_reads_json_with_tabs_and_surrogates():
    assert values('{\n\t"a": "\\ud83d\\ude00"\n}') == [{"a": "😀"}]


def test_load_reads_bytes_with_a_byte_order_mark():
    assert values("\ufeffa: 1".encode()) == [{"a": 1}]


def test_load_merges_maps_without_overriding():
    assert values("b: &b {p: 1, q: 2}\nc: {<<: *b, p: 3}")[0]["c"] == {"p": 3, "q": 2}


def test_load_writes_keys_that_are_no_texts():
    assert values("1: a\n2.5: b\non: c") == [{"1": "a", "2.5": "b", "true": "c"}]


def test_locate_finds_the_value_of_a_path():
    (document,) = load("a:\n  b:\n  - c: 1\n  - d: 2\n").documents
    assert document.locate("a.b[1].d") == (4, 8)
    assert document.locate("a.b[1].d", key=True) == (4, 5)


def test_locate_finds_the_nearest_ancestor_when_path_is_missing():
    (document,) = load("a:\n  b: {c: 1}\n").documents
    assert document.locate("a.b.zzz.q[3]") == (2, 3)


def test_locate_counts_lines_of_the_whole_text():
    assert load("a: 1\n---\nb: 1\n").documents[1].locate("b") == (3, 4)


def test_locate_looks_through_merges():
    (document,) = load("b: &b\n  p: 1\nc:\n  <<: *b\n").documents
    assert document.locate("c.p") == (2, 6)


def test_load_reports_the_good_documents_next_to_the_broken_one():
    loaded = load("a: 1\n---\nb: [\n---\nc: 3\n")
    assert [document.value for document in loaded.documents] == [{"a": 1}, {"c": 3}]
    assert loaded.problems[0].line in (3, 4)


BOMB = "a: &a [x,x,x,x,x,x,x,x,x,x]\n" + "".join(
    f"{chr(98 + level)}: &{chr(98 + level)} [{','.join([f'*{chr(97 + level)}'] * 10)}]\n" for level in range(9)
)


@pytest.mark.parametrize(
    ("text", "code", "line"),
    [
        (BOMB, "too-many-values", 5),
        ("a: 1\nb: &b [*b]", "cyclic-anchor", 2),
        ("a: &a\n  b: *a", "cyclic-anchor", 2),
        ("a: !!binary a", "tag", 1),
        ("a: !!map x", "tag", 1),
        ("a: 1\nb: \0", "control-character", 2),
        (b"a: 1\nb: \xff", "encoding", 2),
        ("a: \ud800", "control-character", 1),
        ("a:\n\tb: 1", "yaml", 2),
        ("\n" + "[" * 5000, "too-deep", 2),
        ("- " * 5000, "too-deep", 1),
        ("a" * 1_000_001, "too-large", 1),
        ("a" * 2_000_000, "too-large", 1),
        ("é" * 600_000, "too-large", 1),
        ("? [a]\n: b", "key-not-text", 1),
        ("~: a", "key-not-text", 1),
        ("a: *nowhere", "unknown-anchor", 1),
        ("a: 1\nb: .nan", "not-finite", 2),
        ("a: !!int x", "tag", 1),
        ("a: {<<: 5}", "merge", 1),
        ('a: "unclosed', "yaml", 1),
    ],
)
def test_load_refuses_hostile_text_with_its_line(text, code, line):
    found = problem(text)
    assert (found.code, found.line, found.severity) == (code, line, "error")


def test_of_equal_keys_the_last_one_counts_and_both_lines_are_named():
    loaded = load("a: 1\nb: 2\na: 3")
    (found,) = loaded.problems
    assert [document.value for document in loaded.documents] == [{"a": 3, "b": 2}]
    assert (found.code, found.line, found.severity) == ("duplicate-key", 3, "warning")
    assert found.message == 'key "a" is set twice: on line 1 and on line 3; kubectl uses the last one'


def test_equal_keys_of_a_node_that_aliases_repeat_are_reported_once():
    assert len(load("x: &x {a: 1, a: 2}\ny: *x\nz: [*x, *x]").problems) == 1


def test_load_refuses_more_documents_than_the_limit():
    assert problem("a: 1\n---\n" * 3, documents_max=2).code == "too-many-documents"


@pytest.mark.parametrize(("text", "said"), [("a: !!int x", 'cannot decode "x" as !!int'), ("a: !!bool 1", 'cannot decode "1" as !!bool')])
def test_value_that_is_not_of_its_tag_is_refused_with_the_tag(text: str, said: str) -> None:
    assert [problem.message for problem in load(text).problems] == [said]
