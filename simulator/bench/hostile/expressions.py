"""Regular expressions, patterns and expansions that are short to write and long to evaluate."""

from simulator.bench.hostile.model import BASH, DEBIAN, HostileScript

_A40 = "a" * 40
_A30 = "a" * 30
_LINE_350K = "for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14; do s=$s$s; done"


def _regex() -> tuple[HostileScript, ...]:
    what = "regular expression with ambiguous repetition"
    rows = (
        ("grep-nested-plus", f"echo '{_A40}!' | grep -E '(a+)+$'"),
        ("grep-basic-nested-star", f"echo '{_A40}!' | grep '\\(a*\\)*$'"),
        ("grep-alternation", f"echo '{_A40}!' | grep -E '^(a|a)*$'"),
        ("grep-overlapping", f"echo '{_A40}!' | grep -E '^(a|aa)+$'"),
        ("grep-only-matching", f"echo '{_A40}!' | grep -oE '(a*)*b'"),
        ("grep-back-reference", f"echo '{_A40 * 3}!' | grep -E '(a*)(a*)(a*)(a*)(a*)\\1\\2\\3\\4\\5b'"),
        ("grep-counted", f"echo '{_A40}!' | grep -E '(a{{1,30}}){{1,30}}$'"),
        ("grep-counted-nested", f"echo '{_A40}' | grep -E '((((a{{1,100}}){{1,100}}){{1,100}}){{1,100}}){{1,100}}'"),
        ("grep-many-optionals", f"echo '{_A30}' | grep -E '{'a?' * 30}{_A30}'"),
        ("grep-many-dots", f"seq 1 5000 | tr '\\n' ' ' | grep -E '{'.*' * 12}x'"),
        ("grep-long-line", "seq 1 60000 | tr '\\n' 'a' | grep -E 'a.*a.*a.*a.*a.*!'"),
        ("grep-quiet-many-lines", "seq 1 20000 | grep -cE '([0-9]+)+$|(1|11)*x'"),
        ("sed-nested-plus", f"echo '{_A40}!' | sed -E 's/(a+)+$/x/'"),
        ("sed-empty-matches", f"echo '{_A40}!' | sed -E 's/(a*)*b/x/g'"),
        ("sed-address", f"echo '{_A40}!' | sed -nE '/^(a|a)*$/p'"),
        ("awk-alternation", f"echo '{_A40}!' | awk '/(a|a)*b/'"),
        ("awk-field-matches", f"echo '{_A40}! x' | awk '$1 ~ /^(a+)+$/ {{print $2}}'"),
        ("expr-colon", f"expr '{_A40}!' : '\\(a*\\)*b'"),
        ("pgrep-full", f"sleep 9 {_A40}! & pgrep -f '(a+)+$'"),
        ("pkill-full", f"sleep 9 {_A40}! & pkill -f '^(s|s.*)+x$'; ps"),
    )
    return (
        *(HostileScript(name=name, attacks=what, script=text) for name, text in rows),
        HostileScript(name="double-bracket-regex", attacks=what, script=f"[[ '{_A40}!' =~ ^(a+)+$ ]] || echo no", image=BASH, shell="bash"),
        HostileScript(
            name="double-bracket-regex-loop",
            attacks=what,
            script=f"while :; do [[ '{_A30}!' =~ (a*)*b ]]; done",
            image=DEBIAN,
            shell="bash",
        ),
        HostileScript(name="exec-grep", attacks=f"{what}, by kubectl exec", script="sleep 100", exec=f"echo '{_A40}!' | grep -E '(a+)+$'"),
        HostileScript(name="grep-pattern-file", attacks=what, script=f"echo '{_A40}!' | grep -E -f /given/input", given="(a+)+$\n" * 2000),
    )


def _unfinished() -> tuple[HostileScript, ...]:
    what = "a program of sed or awk that never closes"
    rows = (
        ("awk-backslashes", f"awk '/{chr(92) * 60_000}'"),
        ("awk-escapes", f"awk '/{'a' * 30}{chr(92) * 31} {{print}}'"),
        ("awk-quotes", "awk '{print \"" + '\\"' * 30_000 + "}'"),
        ("awk-blanks", "awk '{print " + " " * 60_000 + "'"),
        ("awk-braces", f"awk '{'{' * 30_000}'"),
        ("sed-backslashes", f"echo a | sed 's/{chr(92) * 60_001}'"),
        ("sed-escaped-slashes", f"echo a | sed 's/{(chr(92) + '/') * 30_000}'"),
        ("sed-brackets", f"echo a | sed 's/{'[' * 30_000}/x/'"),
        ("grep-brackets", f"echo a | grep '{'[[:' * 20_000}'"),
        ("grep-parentheses", f"echo a | grep -E '{'(' * 30_000}'"),
        ("grep-parentheses-closed", f"echo a | grep -E '{'(' * 5_000}a{')' * 5_000}'"),
        ("grep-counts", f"echo a | grep -E 'a{'{1,2}' * 5_000}'"),
        ("expr-parentheses", f"expr {(chr(92) + '( ') * 20_000}1"),
    )
    return tuple(HostileScript(name=name, attacks=what, script=text) for name, text in rows)


def _patterns() -> tuple[HostileScript, ...]:
    what = "pattern with many stars against a long text"
    stars = "*a" * 20
    rows = (
        ("case-stars", f"case {'a' * 5000} in {stars}*b) echo yes;; *) echo no;; esac"),
        ("case-stars-long", f"s=aaaaaaaaaaaaaaaa; {_LINE_350K}; case $s in {stars}*b) echo yes;; esac"),
        ("case-stars-file", f"s=$(cat /given/input); case $s in {stars}*b) echo yes;; esac"),
        ("case-many-branches", "case aaaaaaaaaaaaaaaaaaaaaaaa in " + "*a*a*a*b) echo x;; " * 4000 + "esac"),
        ("strip-longest-prefix", "s=$(cat /given/input); echo ${#s} ${s##*zz} | wc -c"),
        ("strip-shortest-prefix", "s=$(cat /given/input); t=${s#*zz}; echo ${#t}"),
        ("strip-longest-suffix", "s=$(cat /given/input); t=${s%%zz*}; echo ${#t}"),
        ("strip-shortest-suffix", "s=$(cat /given/input); t=${s%z*z}; echo ${#t}"),
        ("strip-in-loop", 's=$(cat /given/input); while [ -n "$s" ]; do s=${s#?}; done; echo done'),
        ("strip-stars", "s=$(cat /given/input); t=${s##*a*a*a*a*b}; echo ${#t}"),
        ("brackets-open", f"case a in {'[' * 20_000}) ;; esac; echo end"),
        ("brackets-classes", f"case a in {'[[:' * 20_000}) ;; esac; echo end"),
        ("brackets-ranges", f"case a in [{'a-z' * 20_000}]) echo yes;; esac"),
        ("question-marks", f"case {'a' * 20_000} in {'?' * 20_000}b) echo yes;; esac"),
    )
    long = "a" * 350_000
    return (
        *(HostileScript(name=name, attacks=what, script=text, given=long) for name, text in rows),
        HostileScript(
            name="double-bracket-stars",
            attacks=what,
            script=f"s=$(cat /given/input); [[ $s == {stars}*b ]]; echo $?",
            image=BASH,
            shell="bash",
            given=long,
        ),
        HostileScript(
            name="glob-many-files",
            attacks="paths with many stars among many files",
            script="for i in $(seq 1 40); do for j in $(seq 1 25); do mkdir -p d$i/e$j; : > d$i/e$j/f; done; done; echo */*/*/* | wc -c",
        ),
        HostileScript(
            name="glob-stars",
            attacks="paths with many stars among many files",
            script=f"cd /tmp; for i in $(seq 1 300); do : > {'a' * 60}$i; done; ls {stars}*b; ls {'*a' * 30}",
        ),
        HostileScript(
            name="find-patterns",
            attacks="paths with many stars among many files",
            script=f"cd /tmp; for i in $(seq 1 300); do : > {'a' * 60}$i; done; find . -name '{stars}*b' -o -path '{stars}*b'",
        ),
    )


def _replacements() -> tuple[HostileScript, ...]:
    what = "replacement that grows the text"
    rows = (
        ("replace-blow-up", "s=aaaaaaaaaaaaaaaa; for i in $(seq 1 30); do s=${s//a/aaaaaaaaaaaaaaaa}; done; echo ${#s}"),
        ("replace-each-character", "s=$(cat /given/input); t=${s//?/bbbbbbbbbbbbbbbb}; echo ${#t}"),
        ("replace-stars", "s=$(cat /given/input); t=${s//*a*a*b/x}; echo ${#t}"),
        ("replace-unmatched", "s=$(cat /given/input); t=${s//a*b/x}; echo ${#t}"),
        ("substring-loop", "s=$(cat /given/input); i=0; while [ $i -lt ${#s} ]; do c=${s:$i:1}; i=$((i+1)); done; echo $i"),
        ("upper-case-doubling", "s=a; while :; do s=${s^^}$s; done"),
    )
    return (
        *(HostileScript(name=name, attacks=what, script=text, image=BASH, shell="bash", given="a" * 350_000) for name, text in rows),
        HostileScript(
            name="sed-blow-up",
            attacks=what,
            script="s=a; for i in $(seq 1 40); do s=$(echo $s | sed 's/a/aaaaaaaaaaaaaaaa/g'); done; echo ${#s}",
        ),
    )


def _braces() -> tuple[HostileScript, ...]:
    what = "brace expansion"
    rows = (
        ("brace-pairs", f"echo {'{a,b}' * 32}"),
        ("brace-pairs-ten", f"echo {'{a,b,c,d,e,f,g,h,i,j}' * 9} | wc -c"),
        ("brace-nested", f"echo {'{a,' * 2000}b{'}' * 2000} | wc -c"),
        ("brace-nested-pairs", f"echo {'{a,{b,' * 40}c{'}}' * 40} | wc -c"),
        ("brace-nested-products", f"echo {'{{a,b},{c,d}}' * 16} | wc -c"),
        ("brace-range", "echo {1..999999999} | wc -c"),
        ("brace-range-huge", f"echo {{1..{'9' * 4000}}} | wc -c"),
        ("brace-range-step", "echo {1..1000000000..3} | wc -c"),
        ("brace-range-letters", f"echo {'{a..z}' * 8} | wc -c"),
        ("brace-range-padded", f"echo {{{'0' * 60_000}1..9}} | wc -c"),
        ("brace-commas", f"echo {{{',' * 100_000}"),
        ("brace-commas-closed", f"echo {{{',' * 100_000}}} | wc -c"),
        ("brace-unclosed", f"echo {'{a,' * 30_000}"),
        ("brace-loop", "for i in {1..100000000}; do :; done"),
        ("brace-array", "a=({a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{1..100000}); echo ${#a[@]}"),
        ("brace-eval", "p='{a,b}'; for i in 1 2 3 4 5 6; do p=$p$p; done; eval echo $p | wc -c"),
    )
    return tuple(HostileScript(name=name, attacks=what, script=text, image=DEBIAN, shell="bash") for name, text in rows)


SCRIPTS: tuple[HostileScript, ...] = (*_regex(), *_unfinished(), *_patterns(), *_replacements(), *_braces())
