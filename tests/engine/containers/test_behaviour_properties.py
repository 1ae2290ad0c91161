"""For any script: nothing raises, a stored state never changes, and repeating a turn gives the same result."""

from collections.abc import Callable

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from simulator.engine.containers import Host, Launch, Turn, exec_start, force_exit, http_get, process_tree, resume, signal, start

WORDS = [
    "if",
    "then",
    "fi",
    "while",
    "do",
    "done",
    "for",
    "in",
    "case",
    "esac",
    "{",
    "}",
    "(",
    ")",
    "((",
    "))",
    "[[",
    "]]",
    "|",
    "||",
    "&&",
    "&",
    ";",
    "$(",
    "`",
    "${",
    "}",
    "$((",
    "))",
    "'",
    '"',
    "\\",
    "<<EOF",
    ">",
    "<",
    ">&2",
    "2>",
    "sleep_1",
    "trap_'exit_0'_TERM",
    "wait",
    "$!",
    "echo",
    "$x",
    "x=1",
    "a=(",
    "!",
    "*",
    "[a",
    "?",
    "read",
    "exit",
    "set_-e",
    "kill_1",
    "exec",
    "eval",
    "break",
    "continue",
    "return",
    "f()",
    "local",
    "shift",
    "seq",
    "printf_'%s'",
    "tail_-F_/v",
    "cat",
    "head",
    "timeout_1",
    "sleep_inf",
    "$?",
    "$@",
    "{1..9}",
    "~",
    "=~",
    "while_true;_do_sleep_1;_done",
    "(sleep_2;touch_/a)&",
    "true",
    "false",
    ":",
    "test",
    "$((x=1/0))",
    "sed",
    "awk",
    "wc",
]
PIECES = st.sampled_from([word.replace("_", " ") for word in WORDS] + ["\n", "EOF\n"])
SCRIPTS = st.lists(PIECES, min_size=1, max_size=14).map(" ".join) | st.text(max_size=40)
MOVES = st.lists(st.sampled_from(["wake", "term", "hup", "exec", "later"]), max_size=5)
ENCODER = msgspec.msgpack.Encoder()


def turns_of(script: str, moves: list[str], check: Callable[[Callable[[], Turn]], Turn]) -> None:
    """Start a script and make the moves, each through ``check``."""
    turn = check(lambda: start(Launch("busybox", command=("sh", "-c", script)), Host(0)))
    now_ms = 0
    for move in moves:
        now_ms = turn.wake_ms if move == "wake" and turn.wake_ms is not None else now_ms + 700
        process, host = turn.process, Host(now_ms)
        if move == "exec":
            got = exec_start(process, ("sh", "-c", "kill 1; cat /a"), host)
            turn = Turn(got.process, wake_ms=got.main_wake_ms, exit_code=got.main_exit, notes=got.notes)
        elif move in ("term", "hup"):
            turn = check(lambda process=process, host=host, n=15 if move == "term" else 1: signal(process, n, host))
        else:
            turn = check(lambda process=process, host=host: resume(process, host))
        http_get(turn.process, port=80, path="/", host=host)
        process_tree(turn.process)


@settings(max_examples=400, deadline=None)
@given(script=SCRIPTS, moves=MOVES)
def test_no_script_makes_the_interpreter_fail(script, moves):
    def check(act: Callable[[], Turn]) -> Turn:
        turn = act()
        assert not [note for note in turn.notes if "interpreter failed" in note.text]
        return turn

    turns_of(script, moves, check)


@settings(max_examples=200, deadline=None)
@given(script=SCRIPTS, moves=MOVES)
def test_stored_state_gives_the_same_turn_twice(script, moves):
    def check(act: Callable[[], Turn]) -> Turn:
        first = act()
        before = ENCODER.encode(first)
        assert ENCODER.encode(act()) == before
        return first

    turns_of(script, moves, check)


@settings(max_examples=100, deadline=None)
@given(script=SCRIPTS)
def test_fork_is_untouched_when_the_other_branch_goes_on(script):
    begun = start(Launch("busybox", command=("sh", "-c", script)), Host(0))
    before = ENCODER.encode(begun.process)
    resume(begun.process, Host(5000))
    signal(begun.process, 15, Host(5000))
    exec_start(begun.process, ("sh", "-c", "touch /tmp/x; kill 1"), Host(5000))
    force_exit(begun.process, 1, Host(6000))
    assert ENCODER.encode(begun.process) == before
