"""The shell language: each script with its output. Expected texts were checked with dash and bash."""

import pytest

from tests.engine.containers.containers import program, run

POSIX = [
    ("echo \"a  b\" c'd e' \\$x", ["a  b cd e $x"]),
    ("x=5; echo $x ${x:-d} ${y:-d} ${y:+z} ${x:+z} ${#x}; : ${z:=q}; echo $z", ["5 5 d z 1", "q"]),
    ("f=/a/b/c.tar.gz; echo ${f##*/} ${f#*/} ${f%.*} ${f%%.*}", ["c.tar.gz a/b/c.tar.gz /a/b/c.tar /a/b/c"]),
    ("echo $((1+2*3)) $((-7/2)) $((1<2&&3>2)) $((x=4)) $x $((2<1?5:6))", ["7 -3 1 4 4 6"]),
    ('for i in a b; do echo $i; done | while read l; do echo "<$l>"; done', ["<a>", "<b>"]),
    ("i=0; until [ $i -ge 3 ]; do i=$((i+1)); [ $i -eq 2 ] && continue; echo $i; done", ["1", "3"]),
    ("case foo.txt in *.md|*.txt) echo text;; *) echo other;; esac", ["text"]),
    ('f() { local v=$1; echo "in $v $#"; return 4; }; v=9; f x y; echo $? $v', ["in x 2", "4 9"]),
    ("(exit 3); echo $?; ! true; echo $?; false && echo y || echo n", ["3", "1", "n"]),
    ("x=1; (x=2; echo $x); echo $x", ["2", "1"]),
    ('set -- a "b c"; for a in "$@"; do echo "[$a]"; done; for a in $*; do echo $a; done', ["[a]", "[b c]", "a", "b", "c"]),
    ('IFS=:; x=a:b::c; for p in $x; do echo "<$p>"; done', ["<a>", "<b>", "<>", "<c>"]),
    ("n=2; cat <<EOF\nx $((n+1)) $(echo s)\nEOF\necho after", ["x 3 s", "after"]),
    ("cat <<'EOF'\nx $((1+1))\nEOF", ["x $((1+1))"]),
    ("{ echo out; echo err >&2; } 2>&1 | cat", ["out", "err"]),
    ("trap 'echo bye' EXIT; echo x; exit 3", ["x", "bye"]),
    ("set -e; false || true; if false; then :; fi; echo ok; false; echo never", ["ok"]),
    ("printf '%s-%03d-%x|%-4s|\\n' a 7 255 ab cd", ["a-007-ff|ab  |", "cd-000-0|    |"]),
    ("for i in 1 2; do for j in a b; do [ $i = 2 ] && continue 2; echo $i$j; done; done", ["1a", "1b"]),
    ("eval 'x=5; echo $x'; cmd='echo hello'; $cmd", ["5", "hello"]),
    ("x=$(false); echo $?; (exit 5) & wait $!; echo $?", ["1", "5"]),
    ("trap 'echo got' USR1; kill -USR1 $$; echo after", ["got", "after"]),
    ("exec 3>&1; echo three >&3; exec >/dev/null; echo lost", ["three"]),
    ('echo 1 2 3 | { read a b; echo "$b-$a"; }', ["2 3-1"]),
    ("{ sleep 1; echo late; } & echo early; wait; echo end", ["early", "late", "end"]),
    ("timeout 1 sleep 5; echo $?; sleep 9 & kill $!; wait $!; echo $?", ["124", "143"]),
    ("seq 5 | head -n 2; seq 3 | tail -n 1; echo hello | tr a-z A-Z; printf 'b\\na\\n' | sort", ["1", "2", "3", "HELLO", "a", "b"]),
    ("echo a:b | cut -d: -f2; echo 'x y' | sed 's/x/z/'; seq 3 | wc -l; echo 'a b' | awk '{print $2}'", ["b", "z y", "3", "b"]),
    ("touch /tmp/b.x /tmp/a.x; echo /tmp/*.x; echo '/tmp/*.x'; echo /tmp/*.none", ["/tmp/a.x /tmp/b.x", "/tmp/*.x", "/tmp/*.none"]),
    ("A=5 sh -c 'echo $A $0 $1' name p; echo ${A:-gone}", ["5 name p", "gone"]),
]
BASH = [
    ('a=(x y z); a+=(w); echo ${a[1]} ${#a[@]} "${a[@]}" ${a[-1]}', ["y 4 x y z w w"]),
    ("[[ foo == f* && ! -e /nope ]] && echo m; [[ abc =~ ^a(b)c$ ]] && echo ${BASH_REMATCH[1]}", ["m", "b"]),
    ("((i=3)); ((i++)); if ((i>3)); then echo $i; fi; for ((j=0;j<2;j++)); do echo $j; done", ["4", "0", "1"]),
    ("echo {1..3} {a,b}x {01..03}; x=hello; echo ${x:1:3} ${x^^} ${x//l/L} ${x: -2}", ["1 2 3 ax bx 01 02 03", "ell HELLO heLLo lo"]),
    ("cat <<< \"here\"; echo $'a\\tb'; set -o pipefail; false | true; echo $?", ["here", "a\tb", "1"]),
    ("IFS=, read -ra parts <<< 'a,b,c'; echo ${#parts[@]} ${parts[2]}", ["3 c"]),
]


@pytest.mark.parametrize(("script", "lines"), POSIX)
def test_sh_prints_what_dash_prints(script, lines):
    assert run(script).at(20_000).stdout == lines


@pytest.mark.parametrize(
    "program_text", ["grep '[[x' /etc/hostname", "sed 's/x/\\z/' /etc/hostname", "expr a : '\\('", "grep '*' /etc/hostname"]
)
def test_bad_pattern_is_the_programs_error_not_ours(program_text):
    box = run(f"{program_text}; echo end")
    assert (box.stdout[-1], box.notes) == ("end", [])


@pytest.mark.parametrize(("script", "lines"), BASH)
def test_bash_prints_what_bash_prints(script, lines):
    assert program("bash", "-c", script, image="bash:5").at(20_000).stdout == lines


@pytest.mark.parametrize(
    ("script", "code"),
    [
        ("exit 42", 42),
        ("false", 1),
        ("nosuch", 127),
        ("set -e; false; exit 0", 1),
        ("echo 'open", 2),
        ("set -u; echo $nope", 2),
        ("kill -9 $$; exit 5", 5),
    ],
)
def test_shell_exits_with_the_status_a_real_one_has(script, code):
    assert run(script).exit_code == code


@pytest.mark.parametrize(
    ("script", "text"),
    [
        ("nosuch", "sh: nosuch: not found"),
        ("cat /tmp/healthy", "cat: can't open '/tmp/healthy': No such file or directory"),
        ("ls /nope", "ls: /nope: No such file or directory"),
        ("echo x > /no/dir", "sh: can't create /no/dir: nonexistent directory"),
        ("set -x; echo hi", "+ echo hi"),
    ],
)
def test_shell_words_its_messages_like_busybox(script, text):
    assert run(script).stderr == [text]


def test_unsupported_construct_becomes_a_note_when_read():
    box = run("diff <(echo a) <(echo b)")
    assert box.exit_code is None
    assert box.notes == ["command-not-understood"]


def test_loop_without_time_counts_as_busy_when_it_never_waits():
    box = run("while true; do :; done").at(1000)
    assert box.exit_code is None
    assert box.notes == ["busy"]
    assert box.wake_ms is None


def test_busy_shell_runs_its_trap_at_once():
    box = run("trap 'exit 4' TERM; while :; do i=$((i+1)); done").at(5000).signal()
    assert (box.exit_code, box.exit_ms) == (4, 5000)


@pytest.mark.parametrize("words", ["${A[*]}", '"${A[*]}"', "${A[@]}"])
def test_all_values_of_an_array_are_meant_by_a_star(words: str) -> None:
    script = f'A=("start" "--host" "$(hostname)"); A+=("--join" "b"); echo {words}; echo ${{#A[*]}}'
    assert program("bash", "-ec", script, image="debian:12").stdout == ["start --host p --join b", "5"]
