"""The shell's own language: nesting, recursion, quoting, arithmetic and endless numbers."""

from simulator.bench.hostile.model import BASH, DEBIAN, HostileScript

_NINES = "9" * 5000


def _nested(opening: str, inner: str, closing: str, depth: int) -> str:
    return opening * depth + inner + closing * depth


def _functions(depth: int) -> str:
    return _nested("f() { ", "echo deep; ", "}; f", depth)


def _if_depth(depth: int) -> str:
    return "if true; then " * depth + "echo deep; " + "fi; " * depth


def _quoted(depth: int) -> str:
    """``sh -c`` within ``sh -c``: each level escapes the quotes of the one inside, so that they double."""
    text = "echo deep"
    for _ in range(depth):
        text = 'sh -c "' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
    return text


def _nesting() -> tuple[HostileScript, ...]:
    what = "nesting deeper than any stack"
    rows = (
        ("nested-substitution", "echo " + _nested("$(echo ", "deep", ")", 500)),
        ("nested-substitution-deep", "echo " + _nested("$(", "echo deep", ")", 20_000)),
        ("nested-substitution-quoted", "echo " + _nested('"$(echo ', "deep", ')"', 500)),
        ("nested-backquotes", "echo `echo " + "\\`echo " * 500 + "x" + "\\`" * 500 + "`"),
        ("nested-arithmetic", "echo " + _nested("$((1+", "1", "))", 500)),
        ("nested-parentheses-arithmetic", f"echo $(({_nested('(', '1', ')', 20_000)}))"),
        ("nested-defaults", "echo " + _nested("${a:-", "deep", "}", 500)),
        ("nested-defaults-deep", "echo " + _nested("${a:-", "deep", "}", 20_000)),
        ("nested-defaults-quoted", "echo " + _nested('"${a:-', "deep", '}"', 2000)),
        ("nested-subshells", _nested("( ", "echo deep", " )", 300)),
        ("nested-subshells-deep", _nested("( ", "echo deep", " )", 20_000)),
        ("nested-braces", _nested("{ ", "echo deep; ", "}; ", 15_000)),
        ("nested-if", _if_depth(200)),
        ("nested-if-deep", _if_depth(5000)),
        ("nested-while", _nested("while :; do ", "echo deep; ", "done; ", 4000)),
        ("nested-case", _nested("case a in a) ", "echo deep", ";; esac", 4000)),
        ("nested-for", _nested("for i in 1 2; do ", "echo $i; ", "done; ", 40)),
        ("nested-definitions", " ".join(f"f{n}()" for n in range(8000)) + " { echo; }"),
        ("nested-functions", _functions(2000)),
        ("nested-pipes", "echo a" + " | cat" * 3000),
        ("nested-not", "! " * 30_000 + "true"),
        ("nested-and-or", "true && " * 12_000 + "echo end"),
        ("nested-time-prefixes", "a=1 " * 20_000 + "true"),
        ("nested-quoting", _quoted(9)),
        ("open-parentheses", "( " * 60_000),
        ("open-braces", "{ " * 60_000),
        ("open-subscripts", "a[ " * 40_000),
        ("open-substitutions", "echo " + "$(" * 60_000),
        ("open-parameters", "echo " + "${a" * 40_000),
        ("open-backquotes", "echo " + "`" * 60_001),
        ("test-not", "test " + "! " * 30_000 + "x"),
        ("test-parentheses", "test " + "'(' " * 20_000 + "x"),
        ("test-and", "test " + "x -a " * 20_000 + "x"),
    )
    bash = (
        ("double-bracket-not", "[[ " + "! " * 30_000 + "x ]]; echo $?"),
        ("double-bracket-parentheses", "[[ " + "( " * 10_000 + "x " + ") " * 10_000 + "]]; echo $?"),
        ("double-bracket-and", "[[ " + "x && " * 12_000 + "x ]]; echo $?"),
        ("array-subscripts", "a=(1 2 3); echo " + _nested("${a[", "0", "]}", 2000)),
        ("process-substitution", "cat " + _nested("<(cat ", "/etc/hosts", ")", 500)),
    )
    return tuple(HostileScript(name=name, attacks=what, script=text) for name, text in rows) + tuple(
        HostileScript(name=name, attacks=what, script=text, image=BASH, shell="bash") for name, text in bash
    )


def _arithmetic() -> tuple[HostileScript, ...]:
    what = "arithmetic that is deep, long or endless"
    rows = (
        ("arithmetic-minus", f"echo $(( {'- ' * 10_000}1 ))"),
        ("arithmetic-not", f"echo $(( {'!' * 10_000}1 ))"),
        ("arithmetic-tilde", f"echo $(( {'~' * 50_000}1 ))"),
        ("arithmetic-conditional", f"echo $(( {'1?' * 10_000}1{':1' * 10_000} ))"),
        ("arithmetic-conditional-chain", f"echo $(( {'0?1:' * 20_000}1 ))"),
        ("arithmetic-sum", f"echo $(( {'1+' * 50_000}1 ))"),
        ("arithmetic-assignments", f"echo $(( {'a=' * 20_000}1 ))"),
        ("arithmetic-commas", f"echo $(( {'1,' * 50_000}1 ))"),
        ("arithmetic-mutual-names", "a=b b=a; echo $((a))"),
        ("arithmetic-chain-of-names", "".join(f"a{n}=a{n + 1}; " for n in range(5000)) + "echo $((a0))"),
        ("arithmetic-names-doubling", "a0=1; " + "".join(f"a{n + 1}='a{n}+a{n}'; " for n in range(60)) + "echo $((a60))"),
        ("arithmetic-power", "echo $((9**9**9**9)) $((2**999999999))"),
        ("arithmetic-shift", "echo $((1<<999999999)) $((1<<-1)) $((1>>99999999999))"),
        ("arithmetic-digits", f"echo $(( {_NINES} * {_NINES} ))"),
        ("arithmetic-bases", f"echo $((36#{'z' * 5000}))"),
        ("arithmetic-growing", "i=9; while :; do i=$((i*i)); done"),
        ("digits-in-test", f"[ {_NINES} -gt {_NINES} ]; echo $?; test -t {_NINES}"),
        ("digits-in-exit", f"(exit {_NINES}); echo $?; f() {{ return {_NINES}; }}; f; echo $?; shift {_NINES}; break {_NINES}"),
        ("digits-in-parameters", f"echo ${{{_NINES}}} ${_NINES}"),
        ("digits-in-descriptors", f"echo a {_NINES}>&1; echo a >&{_NINES}; exec {_NINES}>/tmp/f"),
        ("digits-in-substring", f"s=abc; echo ${{s:{_NINES}:{_NINES}}} ${{s:(-{_NINES})}}"),
    )
    return (
        *(HostileScript(name=name, attacks=what, script=text) for name, text in rows),
        HostileScript(
            name="arithmetic-command", attacks=what, script=f"(( {'- ' * 10_000}1 )); for ((;;)); do :; done", image=BASH, shell="bash"
        ),
        HostileScript(name="let-loop", attacks=what, script="i=0; while let i++; do :; done; echo $i", image=DEBIAN, shell="bash"),
    )


def _recursion() -> tuple[HostileScript, ...]:
    what = "recursion without end"
    rows = (
        ("function-recursion", "f() { f; }; f; echo after"),
        ("function-recursion-arguments", 'f() { f "$@" x; }; f x'),
        ("function-recursion-subshell", "f() { (f); }; f"),
        ("function-recursion-substitution", "f() { echo $(f); }; f"),
        ("function-recursion-pipe", "f() { f | f; }; f"),
        ("function-mutual", "f() { g; }; g() { f; }; f"),
        ("function-redefinition", "f() { f() { f; }; f; }; f"),
        ("eval-recursion", 'a=\'eval "$a"\'; eval "$a"'),
        ("eval-doubling", 'a=\'a="$a$a"; eval "$a"\'; eval "$a"'),
        ("eval-loop", "while :; do eval 'eval \"eval :\"'; done"),
        ("eval-words", "eval " + "eval " * 20_000 + "echo"),
        ("trap-itself", "trap 'kill $$' TERM; kill $$; sleep 5"),
        ("trap-exit", "trap 'exit' EXIT; trap 'kill -USR1 $$' USR1; kill -USR1 $$; while :; do :; done"),
        ("trap-many", "".join(f"trap 'kill -{n} $$' {n}; " for n in range(1, 32) if n not in (9, 19)) + "kill $$"),
        ("source-itself", "cp /given/input /tmp/s; . /tmp/s"),
        ("script-itself", "cp /given/input /tmp/s; chmod +x /tmp/s; sh /tmp/s; /tmp/s"),
        ("sh-in-sh", "cat > /tmp/s <<'E'\nsh /tmp/s\nE\nsh /tmp/s"),
        ("exec-itself", "echo 'exec sh /tmp/s' > /tmp/s; exec sh /tmp/s"),
        ("alias-itself", "alias a='a a'; a; alias b=c c=b; b"),
        ("substitution-loop", "while :; do x=$(echo $(echo $(echo a))); done"),
    )
    return tuple(HostileScript(name=name, attacks=what, script=text, given="#!/bin/sh\n. /tmp/s\n") for name, text in rows)


def _texts() -> tuple[HostileScript, ...]:
    what = "a script that is long and never ends"
    rows = (
        ("heredocs", "".join(f"cat <<E{n}\nE{n}\n" for n in range(6000))),
        ("heredocs-many-per-line", "cat " + "<<E " * 30_000 + "\n" + "E\n" * 300),
        ("heredoc-unclosed", "cat <<E\n" + "x\n" * 60_000),
        ("heredoc-substitutions", "cat <<E\n" + "$(echo a)" * 10_000 + "\nE\n"),
        ("backslashes", "echo " + "\\" * 60_000),
        ("continuations", "echo " + "\\\n" * 60_000 + "a"),
        ("semicolons", "true" + " ; true" * 18_000),
        ("words", "echo " + "a " * 60_000 + "| wc -c"),
        ("dollars", "echo " + "$" * 100_000),
        ("tildes", "echo " + "~:" * 50_000),
        ("assignments", "".join(f"v{n}={n};" for n in range(9000)) + "echo $v8999"),
        ("comments", "#" * 100_000 + "\necho end"),
        ("operators", "&" * 60_000),
        ("redirections", "true " + "> /tmp/f " * 12_000),
    )
    files = (
        ("file-unclosed-quote", "sh /given/input", "echo '" + "x" * 400_000),
        ("file-unclosed-double-quote", "sh /given/input", 'echo "' + "$x" * 200_000),
        ("file-heredocs", "sh /given/input", "cat <<E\nE\n" * 40_000),
        ("file-quotes", "sh /given/input", "'\"" * 200_000),
        ("file-words", "sh /given/input", "a " * 400_000),
        ("file-substitutions", "sh /given/input", "$(" * 300_000),
        ("file-function-names", "sh /given/input", "f()\n" * 150_000),
        ("blanks-split", "IFS=' ,'; s=$(cat /given/input); set -- $s; echo $#", " ," * 450_000),
        ("blanks-read", "IFS=' ,' read -r a b c < /given/input; echo ${#a} ${#b} ${#c}", " ," * 450_000 + "x\n"),
        ("blanks-trim", "IFS=: read -r a b < /given/input; echo ${#a}", ":" * 450_000 + "\n"),
        ("long-argument", 'set -x; s=$(cat /given/input); : "$s" "$s" "$s"; echo ${#s}', "a'" * 400_000),
        ("read-lines", "while read -r line; do n=$((n+1)); done < /given/input; echo $n", "x\n" * 300_000),
        ("read-one-by-one", "cat /given/input | while read -r line; do :; done; echo end", "x\n" * 300_000),
        ("getopts", "set -- $(cat /given/input); while getopts abc o; do n=$((n+1)); done; echo $n", "-abcabcabc " * 30_000),
    )
    return tuple(HostileScript(name=name, attacks=what, script=text) for name, text in rows) + tuple(
        HostileScript(name=name, attacks=what, script=text, given=given) for name, text, given in files
    )


SCRIPTS: tuple[HostileScript, ...] = (*_nesting(), *_arithmetic(), *_recursion(), *_texts())
