"""The commands after a pipe: their output, as of GNU's programs in the C locale, and what they refuse."""

import json
from pathlib import Path
from time import process_time

import pytest

from simulator.headless.session import Session
from simulator.kubectl.between import next_change
from simulator.kubectl.filters import through_all
from simulator.kubectl.kubectl import LINE_MAX, kubectl
from simulator.kubectl.line import BadLine
from simulator.kubectl.shell import shell_line
from tests.engine.worlds import container, header, pod, run

TEXT = "NAME    READY   STATUS\nweb-0   1/1     Running\nweb-1   0/1     Pending\nweb-1   0/1     Pending\ndb      1/1     Running\n"


@pytest.mark.parametrize(
    ("pipe", "printed"),
    [
        ("grep Running", "web-0   1/1     Running\ndb      1/1     Running\n"),
        ("grep -ic pending", "2\n"),
        ("grep -v web", "NAME    READY   STATUS\ndb      1/1     Running\n"),
        ("grep -n db", "5:db      1/1     Running\n"),
        ("grep -oE 'web-[0-9]'", "web-0\nweb-1\nweb-1\n"),
        ("grep -A1 NAME", "NAME    READY   STATUS\nweb-0   1/1     Running\n"),
        ("grep -A1 -E 'NAME|db'", "NAME    READY   STATUS\nweb-0   1/1     Running\n--\ndb      1/1     Running\n"),
        ("grep -nB1 db", "4-web-1   0/1     Pending\n5:db      1/1     Running\n"),
        ("grep -w eb", ""),
        ("grep 'x\\|db'", "db      1/1     Running\n"),
        ("grep -F .", ""),
        ("egrep '^(db|NAME)' | wc -l", "2\n"),
        ("wc -l", "5\n"),
        ("wc", "      5      15     119\n"),
        ("head -n 2 | tail -1", "web-0   1/1     Running\n"),
        ("head -1", "NAME    READY   STATUS\n"),
        ("head -n -4", "NAME    READY   STATUS\n"),
        ("tail -n +5", "db      1/1     Running\n"),
        ("sort | head -1", "NAME    READY   STATUS\n"),
        ("cut -c1-3 | sort", "NAM\ndb \nweb\nweb\nweb\n"),
        ("cut -c1-3 | sort -u", "NAM\ndb \nweb\n"),
        ("sort -bu -k2,2 | wc -l", "3\n"),
        ("sort -k3,3 -r | tail -n 1", "web-1   0/1     Pending\n"),
        ("uniq -c | sort -rn | head -1", "      2 web-1   0/1     Pending\n"),
        ("uniq -d", "web-1   0/1     Pending\n"),
        ("cut -d' ' -f1", "NAME\nweb-0\nweb-1\nweb-1\ndb\n"),
        ("cut -c1-2,4", "NAE\nwe-\nwe-\nwe-\ndb \n"),
        ("awk '{print $1}' | tail -1", "db\n"),
        ("awk 'NR>1 && $3==\"Running\" {print $1\":\"$2, NF}'", "web-0:1/1 3\ndb:1/1 3\n"),
        ("awk '/web/' | awk 'END{print NR}'", "3\n"),
        ("awk '$3 !~ /ing$/ {print $NF}'", "STATUS\n"),
        ("awk -F- 'NR==2{print $2}'", "0   1/1     Running\n"),
        ("tr -s ' ' | cut -d' ' -f2 | tr '\\n' ,", "READY,1/1,0/1,0/1,1/1,"),
        ("tr a-z A-Z | tail -1", "DB      1/1     RUNNING\n"),
        ("sed -n 2p", "web-0   1/1     Running\n"),
        ("sed 1d | wc -l", "4\n"),
        ("sed -E 's/([a-z]+)-([0-9])/\\2\\1/' | sed -n 2p", "0web   1/1     Running\n"),
        ("tail -1 | sed 's/n/N/g'", "db      1/1     RuNNiNg\n"),
        ("grep zzz | base64 -d", ""),
        ("tail -1 | base64 | base64 -d", "db      1/1     Running\n"),
        ("less", TEXT),
    ],
)  # fmt: skip
def test_pipe_makes_of_a_text_what_the_programs_make(pipe, printed):
    assert through_all(shell_line(f"get pods | {pipe}").filters, TEXT) == printed


@pytest.mark.parametrize(
    ("pipe", "said"),
    [
        ("jq .items", "error: behind a pipe this command line knows awk, base64, cat, cut"),
        ("grep", "Usage: grep"),
        ("grep '('  -E", "grep: Invalid regular expression"),
        ("grep '\\(a\\)\\1'", "grep: this pattern is not supported here"),
        ("grep -P x", "grep: this command line does not know -P"),
        ("grep x file", "grep: file: No such file or directory"),
        ("head -n x", "head: invalid number: 'x'"),
        ("cut -f", "cut: option requires an argument -- 'f'"),
        ("awk '{system(\"rm\")}'", "awk: this command line knows a condition"),
        ("awk 'BEGIN{while(1);}'", "awk: this command line knows a condition"),
        ("sed y/a/b/", "sed: this command line knows"),
        ("base64 -d", "base64: invalid input"),
    ],
)
def test_what_is_not_known_is_refused_with_a_message(pipe, said):
    assert through_all(shell_line(f"get pods | {pipe}").filters, TEXT).startswith(said)


def session() -> Session:
    world, records = run(header(pod(container()), pod(container(), name="q")), 5)
    return Session(world, records, now_ms=5_000)


def test_answer_goes_through_the_pipe():
    assert session().ask("kubectl get pods --no-headers | awk '{print $1}' | sort -r") == "q\np\n"


def test_error_output_does_not_go_through_the_pipe():
    assert session().ask("get pods -n empty | wc -l") == "No resources found in empty namespace.\n0\n"
    assert session().ask("get pod x p | grep -c Running") == 'Error from server (NotFound): pods "x" not found\n1\n'
    assert session().ask("get nonsense | wc -l") == 'error: the server doesn\'t have a resource type "nonsense"\n0\n'


def test_line_that_acts_is_carried_out_and_printed_through_its_pipe():
    asked = session()
    assert asked.ask("delete pod p q | grep -c deleted") == "2\n"
    assert asked.ask("get pods -o name | wc -l").endswith("0\n")


def test_bar_in_quotes_is_not_a_pipe():
    assert shell_line("exec p -- sh -c 'a | b'").words[-1] == "a | b"
    assert shell_line("get pods -o 'jsonpath={.a}|' | wc").filters == (("wc",),)


def test_longer_pipes_than_anybody_types_are_refused():
    with pytest.raises(BadLine, match="at most 10 commands"):
        shell_line("get pods" + " | cat" * 10)


def test_next_change_of_an_answer_is_that_of_its_command():
    world, _ = run(header(pod(container())), 5)
    assert next_change(world, "get pods | wc -l") == next_change(world, "get pods")


@pytest.mark.timeout(20)
@pytest.mark.parametrize(
    "pipe", ["grep -E '(a*)*b'", "grep -E '((a{1,50}){1,50}){1,50}'", "sed -E 's/(a|a)*$/x/g'", "awk '/(a+)+$/'", "grep -o a", "tr a-z A-Z"]
)
def test_hostile_pattern_ends(pipe):
    line = f"get pods | {pipe}"
    assert len(line) < LINE_MAX
    assert isinstance(through_all(shell_line(line).filters, ("a" * 5_000 + "\n") * 40), str)


def test_heredoc_is_the_input():
    typed = shell_line("cat <<EOF | kubectl apply -f -\nkind: Pod\n  a: |\nEOF")
    assert (typed.words, typed.stdin) == (["apply", "-f", "-"], "kind: Pod\n  a: |\n")
    assert shell_line("k apply -f - <<'END'\nx\nEND").stdin == "x\n"


def test_pipe_that_names_nothing_is_a_mistake_of_the_shell():
    world, _ = run(header(pod(container())), 5)
    assert kubectl(world, "get pods |").startswith("sh: syntax error")


@pytest.mark.parametrize(
    ("pipe", "printed"),
    [
        ("awk '$1==$1.5'", "awk: this command line knows a condition and {print …}, and not $1==$1.5\n"),
        ("awk -F '' 'NR==5{print $2}'", "b\n"),
        ("sort -t '' -k1", "sort: empty tab\n"),
        ("sed 's/db/\\²/' | tail -1", "²      1/1     Running\n"),
        ("cut -c 5-4,3-2,1-2,2-3,2 | tail -1", "db \n"),
    ],
)
def test_odd_words_of_the_programs_are_answered(pipe, printed):
    assert through_all(shell_line(f"get pods | {pipe}").filters, TEXT) == printed


@pytest.mark.parametrize("stage", ["awk '{print $0,$0,$0,$0,$0,$0,$0,$0}'", "sed '1,$p'", "base64", f"awk '{{print {'$0' * 200}}}'"])
def test_text_that_grows_from_command_to_command_is_refused(stage):
    pipe = " | ".join([stage] * (9 if len(stage) < 50 else 1))
    lines = TEXT * (9_000 if stage in ("base64", "sed '1,$p'") else 500)
    assert through_all(shell_line(f"get pods | {pipe}").filters, lines).startswith("error: this command line takes no more than")


@pytest.mark.parametrize(
    "pipe", [f"cut -c {','.join(['1'] * 200)}", "grep -o .", "tr -s x | tr '[:upper:]' ' ' | sort -k1", "cut -c 999999-,1-5"]
)
def test_one_long_line_takes_no_long_time(pipe):
    begun_s = process_time()
    through_all(shell_line(f"get pods | {pipe}").filters, "X" * 1_000_000)
    assert process_time() - begun_s < 5


@pytest.mark.parametrize(
    ("operator", "of_less", "of_equal", "of_more"),
    [
        ("==", False, True, False),
        ("!=", True, False, True),
        ("<", True, False, False),
        (">", False, False, True),
        ("<=", True, True, False),
        (">=", False, True, True),
    ],
)
def test_awk_compares_as_numbers_where_both_are_and_as_text_otherwise(operator: str, of_less: bool, of_equal: bool, of_more: bool) -> None:
    wanted = [of_less, of_equal, of_more]
    for pairs in (["9 10", "10 10.0", "10 9"], ["a b", "b b", "c b"], ["10x 9x", "9x 9x", "9x 10x"]):
        held = through_all(shell_line(f"get pods | awk '$1{operator}$2'").filters, "".join(f"{pair}\n" for pair in pairs)).splitlines()
        assert [pair in held for pair in pairs] == wanted, pairs


@pytest.mark.parametrize(
    ("program", "lines"),
    [
        ("$1==2", ["2 b"]),
        ("$1!=2", ["1 a", "3 c"]),
        ('$1==1||$2=="c"', ["1 a", "3 c"]),
        ("$1>1&&$1<3", ["2 b"]),
        ("NR<=2", ["1 a", "2 b"]),
        ("$3", []),
        ("$1", ["1 a", "2 b", "3 c"]),
        ("$2~/[ab]/", ["1 a", "2 b"]),
        ("$2!~/[ab]/", ["3 c"]),
        ("!/b/", ["1 a", "3 c"]),
        ("NF==2", ["1 a", "2 b", "3 c"]),
        ('$NF=="b"', ["2 b"]),
    ],
)
def test_awk_prints_the_lines_that_its_condition_holds_for(program: str, lines: list[str]) -> None:
    assert through_all(shell_line(f"get pods | awk '{program}'").filters, "1 a\n2 b\n3 c\n").splitlines() == lines


RECORDED = json.loads((Path(__file__).parent / "recorded" / "filters.json").read_text(encoding="utf-8"))
"""What GNU's programs and mawk printed for a text, in the C locale, by the command after the pipe."""


@pytest.mark.parametrize("pipe", RECORDED["printed"])
def test_pipe_prints_what_the_program_printed(pipe: str) -> None:
    assert through_all(shell_line(f"get pods | {pipe}").filters, RECORDED["text"]) == RECORDED["printed"][pipe]


@pytest.mark.parametrize(
    ("pipe", "said"),
    [
        ("grep -e web -e db", "grep: this command line takes -e once\n"),
        ("sed -e 1d -e s/a/b/", "sed: this command line takes -e once\n"),
        ("sort -k2 -k1", "sort: this command line takes -k once\n"),
        ("cat -n", "cat: this command line does not know -n\n"),
        ("cat file", "cat: file: No such file or directory\n"),
        ("awk -F '[:,]' '{print $1}'", "awk: this command line knows a condition and {print …}, and not -F [:,]\n"),
    ],
)
def test_what_would_be_left_out_is_refused(pipe: str, said: str) -> None:
    assert through_all(shell_line(f"get pods | {pipe}").filters, TEXT) == said


@pytest.mark.parametrize(("pipe", "printed"), [("base64 -w0", "YWJjZGVm"), ("base64 -w 4", "YWJj\nZGVm\n"), ("base64", "YWJjZGVm\n")])
def test_base64_is_wrapped_as_asked(pipe: str, printed: str) -> None:
    assert through_all(shell_line(f"get pods | {pipe}").filters, "abcdef") == printed


@pytest.mark.parametrize(
    ("pipe", "printed"), [("awk -F', ' '{print $2}'", "b\n"), ("awk -F'|' '{print $1}'", "a, b\n"), ("cat -u", "a, b\n")]
)
def test_separator_of_several_characters_is_one(pipe: str, printed: str) -> None:
    assert through_all(shell_line(f"get pods | {pipe}").filters, "a, b\n") == printed
