"""How much a level may say: exactly the most that is allowed is accepted, one more is refused at its place."""

import pytest

from simulator.levels import reading
from simulator.levels.reading import HORIZON_MAX_MS, SEEDS_MAX, TEXT_MAX, BadLevel, level_of, toml_of
from simulator.scenarios.portable import SEED_MAX

CHECK = {"id": "a", "never": {"machine": "stop"}}
ASK = {"id": "q", "at": "5s", "question": "?", "place": {"machine": "stop"}}
ACT = {"at": "1s", "do": "delete_pod", "target": "default/a"}
SOLUTION = {"name": "s", "expect": "fail"}
SOURCE = {"title": "t", "url": "https://example.org/"}


def level(**fields):
    return {"title": "t", "story": "hello-pod", "horizon": "60s", "check": [CHECK]} | fields


def problems(table):
    try:
        level_of(table)
    except BadLevel as bad:
        return bad.problems
    return ()


def numbered(row, count):
    return [row | {"id": f"n{n}"} for n in range(count)]


def check(**fields):
    return level(check=[CHECK | fields])


def never(**pattern):
    return check(never={"machine": "stop"} | pattern)


LIMITS = [
    ("checks", 30, lambda n: level(check=numbered(CHECK, n))),
    ("asks", 20, lambda n: level(ask=numbered(ASK, n))),
    ("hints", 20, lambda n: level(hint=[{"text": "h"}] * n)),
    ("solutions", 30, lambda n: level(solution=[SOLUTION] * n)),
    ("happens", 50, lambda n: level(happens=[ACT] * n)),
    ("sources", 20, lambda n: level(sources=[SOURCE] * n)),
    ("objectives", 10, lambda n: level(objectives=["d3"] * n)),
    ("allow", 60, lambda n: level(allow=["x"] * n)),
    ("solution[0].acts", 100, lambda n: level(solution=[SOLUTION | {"acts": [ACT] * n}])),
    ("brief", 4000, lambda n: level(brief=["x" * (n // 2), "x" * (n - n // 2)])),
    ("debrief", 4000, lambda n: level(debrief=["x" * (n // 2), "x" * (n - n // 2)])),
    ("xxxxxxxxxxxxxxxxxxxx…", 4000, lambda n: check(text="x" * n)),
    ("title", 125, lambda n: level(title="x" * n)),
    ("check[0].never.subject", 500, lambda n: never(subject="x" * n)),
    ("check[0].never.subject", 500, lambda n: never(owner="x" * n)),
    ("check[0].never.subject", 20, lambda n: never(subject="*" * n)),
    ("check[0].never.subject", 20, lambda n: never(owner="*" * n)),
    ("check[0].never", 30, lambda n: never(target=["x"] * n)),
    ("check[0].never", 30, lambda n: never(data={f"n{number}": 1 for number in range(n)})),
    ("check[0].never", 30, lambda n: never(data={"n": ["x"] * n})),
    ("check[0].never", 5, lambda n: never(**{"or": [{"machine": "stop"}] * n})),
    ("horizon", HORIZON_MAX_MS // 1000, lambda n: level(horizon=n)),
    ("seeds", SEEDS_MAX, lambda n: level(seeds=[*range(n)])),
    ("seeds", SEED_MAX, lambda n: level(seeds=[n])),
    ("check[0].from", 60, lambda n: check(**{"from": n})),
    ("check[0].by", 7, lambda n: check(**{"from": n, "by": 7})),
    ("happens[0].at", 60, lambda n: level(happens=[ACT | {"at": f"{n}s"}])),
    ("check[0].id", 40, lambda n: check(id="x" * n)),
]


@pytest.mark.parametrize(("place", "most", "table"), LIMITS, ids=[f"{place}-{most}" for place, most, _ in LIMITS])
def test_just_the_most_is_accepted_and_one_more_refused_at_its_place(place, most, table):
    told = problems(table(most + 1))
    assert (problems(table(most)), [each.partition(":")[0] for each in told]) == ((), [place])


@pytest.mark.parametrize(
    ("place", "table"),
    [
        ("title", level(title="  ")),
        ("horizon", level(horizon=0)),
        ("seeds", level(seeds=[])),
        ("seeds", level(seeds=[1, 1])),
        ("seeds", level(seeds=[-1])),
        ("check[1].id", level(check=[CHECK, CHECK])),
        ("check[0].id", check(id="-a")),
        ("ask[1].id", level(ask=[ASK, ASK])),
        ("hint[0].check", level(hint=[{"text": "h", "check": "b"}])),
        ("solution[0].fails", level(solution=[SOLUTION | {"fails": ["b"]}])),
        ("track", level(track="nowhere")),
        ("sources[1].url", level(sources=[SOURCE, SOURCE | {"url": "ftp://example.org/"}])),
        ("happens[0]", level(happens=[{name: value for name, value in ACT.items() if name != "at"}])),
    ],
)
def test_what_a_level_cannot_mean_is_refused_at_its_place(place, table):
    assert [each.partition(":")[0] for each in problems(table)] == [place]


@pytest.mark.parametrize(
    "table",
    [
        level(seeds=[0]),
        level(hint=[{"text": "h", "check": "a"}]),
        level(solution=[SOLUTION | {"fails": ["a"]}]),
        level(track="termination"),
    ],
)
def test_what_a_level_may_mean_is_accepted(table):
    assert problems(table) == ()


@pytest.mark.parametrize(
    ("start", "is_accepted"),
    [
        ({"story": "hello-pod"}, True),
        ({"manifests": "kind: Pod"}, True),
        ({"story": "hello-pod", "manifests": "kind: Pod"}, False),
        ({"story": ""}, False),
        ({"story": "", "cluster": "nodes: 2"}, True),
        ({"story": "", "script": "- {at: 1, delete: {pod: a}}"}, True),
        ({"story": "hello-pod", "cluster": "nodes: 2"}, False),
        ({"manifests": "kind: Pod", "cluster": "nodes: 2"}, True),
    ],
)
def test_a_level_has_one_beginning(start, is_accepted):
    table = {name: value for name, value in level().items() if name != "story"} | start
    assert (problems(table) == ()) is is_accepted


def test_patterns_of_every_sort_are_bounded():
    long = {"subject": "x" * 501}
    table = level(
        check=[{"id": "a", "order": {"machine": "stop"}, "then": long, "after": long, "until": long}],
        ask=[ASK | {"place": long}],
        hint=[{"text": "h", "when": long, "unless": long}],
    )
    places = ["check[0].then", "check[0].after", "check[0].until", "ask[0].place", "hint[0].when", "hint[0].unless"]
    assert [told.partition(".subject:")[0] for told in problems(table)] == places


def test_missing_field_of_the_level_itself_has_no_place():
    table = level()
    del table["check"]
    assert problems(table) == ("Object missing required field `check`",)


def test_no_more_than_so_many_problems_are_told():
    assert len(problems(level(check=[CHECK] * 30))) == 20


@pytest.mark.parametrize(("letter", "size"), [("x", 1), ("ä", 2)])
def test_text_may_have_just_so_many_bytes(letter, size):
    text = 'title = "' + letter * ((TEXT_MAX - 10) // size) + '"'
    assert toml_of(text)
    with pytest.raises(BadLevel, match="at most 512 kB"):
        toml_of(f"{text}\n\n\n")


def test_first_line_with_an_odd_character_or_with_a_long_key_is_named():
    dots = ".".join("a" * (reading._DOTS_MAX + 1))
    assert toml_of(f"{dots} = 1")
    for text, words in ((f"a = 1\n{dots}.a = 1", "line 2: a key"), ("a = 1\nb = '\ud800'", "line 2: character U\\+D800")):
        with pytest.raises(BadLevel, match=words):
            toml_of(text)
