"""Limits on a container's computing and memory: counted in units of work, so that a costly script harms nobody and ends the same
everywhere."""

import gc
import sys
from collections.abc import Callable

import pytest

from simulator.engine.containers import Launch, effort
from simulator.engine.containers.effort import SINGLE_MAX, WORD_CHARS_MAX
from simulator.engine.containers.kernel.kernel import SPINS_MAX, Kernel
from tests.engine.containers.containers import Box, program, run

MANY_AS = "a" * 40
BACKTRACKING = [
    f"echo {MANY_AS}! | grep -E '(a+)+$'; echo $?",
    f"echo {MANY_AS}! | grep '\\(a*\\)*b$'; echo $?",
    f"echo {MANY_AS}! | sed -E 's/(a|a)*b/x/' | grep -c b; echo 1",
    f"echo {MANY_AS}! | awk '/(a|a)*b/ {{print}}'; echo 1",
    f"expr {MANY_AS}! : '\\(a*\\)*b$'; echo 1",
    "sleep 9 & pgrep -f '(a*)*$' >/dev/null; echo 1",
    "s=$(seq -s '' 1 2000); case $s in *1*2*3*4*5*6*7*8*9*0*1*2*3*x) echo yes;; esac; echo 1",
]


@pytest.mark.parametrize("script", BACKTRACKING)
def test_pattern_that_backtracks_is_answered_at_once(script):
    """Each of these would take years with a backtracking matcher."""
    box = run(script).at(100)
    assert box.exit_code == 0
    assert box.stdout[-1] == "1"


@pytest.mark.parametrize("script", ["sed 's/" + "\\\\" * 3000, "awk '/" + "\\\\" * 3000])
def test_unclosed_pattern_of_backslashes_is_not_understood(script):
    assert run(f"{script}' /etc/hostname").notes == ["command-not-understood"]


def test_long_text_loses_its_beginning_and_end_in_one_pass():
    box = run("s=$(seq -s z 1 60000); s=${s#*9z1}; echo ${#s}; s=${s%%9z*q}; echo ${#s}; s=${s%z*}; echo ${#s}").at(100)
    assert box.stdout == ["348874", "348874", "348868"]


def test_back_reference_is_not_understood():
    box = run("echo aa | grep '\\(a\\)\\1'")
    assert box.notes == ["command-not-understood"] and box.exit_code is None


def test_doubling_text_ends_the_shell_as_out_of_memory():
    box = run("s=aaaaaaaa; while :; do s=$s$s; done").at(100)
    assert (box.exit_code, box.notes) == (2, ["out-of-memory"])
    assert box.stderr == ["sh: 1: out of memory"] or box.stderr == ["sh: out of memory"]


def test_texts_of_many_variables_are_bounded_together():
    box = run("i=0; while sleep 0.01; do i=$((i+1)); eval v$i=$(seq -s x 1 4000); done").at(60_000)
    assert (box.exit_code, box.notes) == (2, ["out-of-memory"])


def test_number_of_variables_is_bounded():
    box = run("i=0; while sleep 0.001; do i=$((i+1)); eval v$i=1; done").at(60_000)
    assert (box.exit_code, box.notes) == (2, ["out-of-memory"])


def test_files_of_a_container_are_bounded_as_by_a_full_disk():
    box = run("i=0; while [ $i -lt 30 ]; do i=$((i+1)); seq 1 20000 > /tmp/$i; sleep 0.01; done; echo x > /tmp/last").at(60_000)
    assert "write-failed" in box.notes
    assert sum(len(entry.text) for entry in box.process.files.values()) <= 1 << 20


def test_removed_file_makes_room_for_another():
    box = run("for i in 1 2 3 4 5 6; do seq 1 40000 > /tmp/x; rm /tmp/x; sleep 0.01; done; echo ok > /tmp/y; cat /tmp/y").at(1000)
    assert box.stdout == ["ok"] and box.notes == []


@pytest.mark.parametrize(
    "script",
    [
        "printf '%.1000000000d' 1",
        "printf '%*d' 100000000 1",
        "seq -s $(printf '%0900d' 1) 1 100000",
        "date +$(printf '%%c%.0s' $(seq 1 9000))$(printf '%%c%.0s' $(seq 1 9000))$(printf '%%c%.0s' $(seq 1 9000))",
    ],
)
def test_program_that_would_print_too_much_counts_as_busy(script):
    box = run(f"{script} >/dev/null; echo never").at(1000)
    assert (box.stdout, box.notes, box.exit_code) == ([], ["busy"], None)


def test_flood_of_output_slows_the_container_then_counts_as_busy():
    box = run("while :; do seq 1 100000; done").at(60_000)
    assert box.notes == ["busy"]
    assert box.turns <= SPINS_MAX + 1


def test_work_of_one_instant_is_paid_for_with_later_ones():
    box = run("seq 1 100000 >/dev/null; echo done").at(0)
    assert box.stdout == []
    assert box.at(5).stdout == ["done"]


def test_process_that_is_given_up_leaves_the_others_their_turn():
    box = run("(printf '%.1000000000d' 1) & sleep 1; echo alive; exit 3").at(2000)
    assert (box.stdout, box.exit_code) == (["alive"], 3)


def test_endless_line_is_logged_in_parts():
    box = run("printf '%040000d\\n' 7; printf '%020000d' 7")
    assert [len(line) for line in box.stdout] == [16384, 16384, 7232, 16384, 3616]


def test_word_of_32_pages_is_not_an_argument():
    box = run(f"s=$(printf '%0{WORD_CHARS_MAX}d' 1); env echo ${{#s}} >/dev/null && env true $s && echo fits; env true x$s; echo $?").at(
        100
    )
    assert box.stdout == ["fits", "126"]
    assert box.stderr == ["sh: env: Argument list too long"]


@pytest.mark.parametrize(
    "script",
    [
        "echo " + "$(echo " * 500 + ")" * 500, "(" * 5000, "{ " * 5000, "echo $((" + "(" * 3000, "echo " + "${a:-" * 500 + "}" * 500,
        "".join(f"f{n}() " for n in range(2000)) + "{ :; }", "if " * 3000, "echo " + "$((" * 300 + "1" + "))" * 300,
    ],
)  # fmt: skip
def test_deep_nesting_is_not_understood_wherever_the_stack_stands(script):
    assert ends(run, script) == deeper(300, lambda: ends(run, script))


@pytest.mark.parametrize(
    "script",
    [
        "env " * 3000 + "true; echo $?", "command " * 3000 + "echo x", "a=b; b=a; echo $((a))", "echo $((" + "- " * 3000 + "1))",
        "test " + "! " * 3000 + "x; echo $?", "[ " + "\\( " * 300 + "x; echo $?", "timeout 1 " * 300 + "true; echo $?",
        "f() { f; }; f", ":(){ :|:& };:; sleep 1", "trap 'kill $$' TERM; kill $$",
    ],
)  # fmt: skip
def test_deep_recursion_ends_the_same_wherever_the_stack_stands(script):
    assert ends(run, script) == deeper(300, lambda: ends(run, script))


def ends(start, script: str) -> tuple[object, ...]:
    box = start(script).at(2000)
    return box.exit_code, box.stdout, box.stderr, box.notes, box.turns


def deeper(frames: int, act):
    """The result of ``act``, called this many frames further down the stack."""
    return act() if frames == 0 else deeper(frames - 1, act)


def test_no_script_needs_more_than_a_part_of_the_stack():
    limit = sys.getrecursionlimit()
    script = "f() { " * 12 + "echo " + "${a:-$(echo " * 12 + "deep" + ")}" * 12 + "; }; f" * 12
    sys.setrecursionlimit(frames_now() + 600)
    try:
        assert ends(run, script)[1] in (["deep"], [])
    finally:
        sys.setrecursionlimit(limit)


def frames_now() -> int:
    frame, count = sys._getframe(), 0
    while frame is not None:
        frame, count = frame.f_back, count + 1
    return count


@pytest.mark.parametrize("failure", [MemoryError, RecursionError])
def test_what_this_machine_lacks_becomes_no_part_of_a_history(monkeypatch, failure):
    def fail(*_):
        raise failure

    monkeypatch.setattr("simulator.engine.containers.kernel.kernel.Kernel.run", fail)
    with pytest.raises(failure):
        run("echo x")


BRACES = [
    ("{a,{b,c}}", "a b c"), ("x{1..3}y", "x1y x2y x3y"), ("{01..03}", "01 02 03"), ("{c..a}", "c b a"), ("{1..9..4}", "1 5 9"),
    ("{a,b}{c,d}", "ac ad bc bd"), ("{$h,b}", "home b"), ("{'a,b',c}", "a,b c"), ("{a}", "{a}"), ("{a,b", "{a,b"), ("a{,b}", "a ab"),
    ("{a,{b}", "{a,{b}"), ("{-1..1}", "-1 0 1"),
]  # fmt: skip


@pytest.mark.parametrize(("word", "expected"), BRACES)
def test_braces_expand_as_in_bash(word, expected):
    assert program("bash", "-c", f"h=home; echo {word}", image="bash:5").stdout == [expected]


@pytest.mark.parametrize("word", ["{a,b}" * 32, "{1..999999999}"])
def test_braces_with_too_many_words_are_refused(word):
    box = program("bash", "-c", f"echo {word}", image="bash:5")
    assert (box.exit_code, box.stderr) == (2, ["bash: line 1: argument list too long"])


def test_unclosed_brace_with_many_commas_stands_for_itself():
    text = "{" + "," * 20_000
    assert program("bash", "-c", f"x={text}; echo ${{#x}} {text} | wc -c", image="bash:5").at(100).stdout == [str(len(text) + 7)]


def test_every_match_of_a_line_is_printed_on_its_own():
    assert run("echo a1b22 | grep -o '[0-9]*'; echo abab | grep -c b").stdout == ["1", "22", "1"]


def test_longest_alternative_wins():
    assert run("echo abc | sed -E 's/a|ab|abc/x/'; echo aaa | sed 's/a/b/2'").stdout == ["x", "aba"]


def test_regular_expression_with_brackets_is_read_whole():
    box = program("bash", "-c", '[[ xab =~ (a|x)(b)? ]] && echo "${BASH_REMATCH[0]}-${BASH_REMATCH[1]}"', image="bash:5")
    assert box.stdout == ["x-x"]


def test_nothing_charged_is_free():
    meter = effort.Meter()
    meter.charge(SINGLE_MAX)
    with pytest.raises(effort.Exhausted):
        meter.charge(1)


LONG = "s=xxxxxxxxxxxxxxxx; for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do s=$s$s; done; "


@pytest.mark.parametrize(
    "script",
    [
        f"awk '{{print {'$0 ' * 2000}}}' <<E\n$s\nE",
        f"sed 's/.*/{'&' * 2000}/' <<E\n$s\nE",
        "tr '" + "!-\ua000" * 5000 + "' x <<E\nabc\nE",
    ],
)
def test_what_a_program_would_print_is_paid_for_before_it_is_built(script):
    box = run(f"{LONG}{script}").at(100)
    assert (box.notes, box.stdout) == (["busy"], [])


@pytest.mark.parametrize(
    "script",
    [
        'f() { set -- "$s$1"; sleep 0.05; n=$((n+1)); [ $n -lt 600 ] && f $n; :; }; f a; sleep 1000',
        "f() { for x in $s$1; do sleep 0.05; f $n; done; }; f a",
        "g() { local s; s=$1; f $1; }; f() { sleep 0.05; n=$((n+1)); g $s$n; }; f",
    ],
)
def test_texts_in_calls_that_have_not_returned_count_as_held(script):
    box = run(LONG + script).at(20_000)
    assert (box.exit_code, box.notes) == (2, ["out-of-memory"])


def test_local_remembers_once_what_a_variable_was_before():
    box = run("f() { while [ $i -lt 500 ]; do local v; v=$i; i=$((i+1)); done; }; i=0; v=old; f; echo $v").at(100)
    assert box.stdout == ["old"]


def test_signal_that_waits_comes_once():
    box = run("trap 'echo got' USR1; kill -USR1 $$ $$ $$; (sleep 1; kill -USR1 1 1 1) & sleep 2; echo end").at(5000)
    assert box.stdout == ["got", "got", "end"]


def test_name_of_a_file_has_255_characters_at_most():
    box = run("echo x > /tmp/$(printf %0255d 1) && echo ok; echo x > /tmp/$(printf %0256d 1); echo $?")
    assert box.stdout == ["ok", "1"] and "File name too long" in box.stderr[0]


def test_whoever_asks_pays_for_the_answer_of_a_handler():
    handler = "while :; do :; done"
    box = run(f"(nc -lk -p 80 -e sh -c '{handler}') & sleep 1; for i in $(seq 200); do wget -qO- localhost & done; sleep 9").at(1500)
    assert box.notes == ["busy"]


def _kernels() -> int:
    return sum(type(thing) is Kernel for thing in gc.get_objects())


@pytest.mark.parametrize(
    "act",
    [lambda box: box.signal(), lambda box: box.exec("cat", "/proc/1/cmdline"), lambda box: box.get()],
    ids=["turn", "exec", "answer"],
)
def test_turn_leaves_no_kernel_to_the_collector_of_cycles(act: Callable[[Box], object]):
    box = Box(Launch("nginx"))
    gc.collect()
    gc.disable()
    try:
        act(box)
        assert _kernels() == 0
    finally:
        gc.enable()
