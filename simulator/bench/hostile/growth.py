"""Memory, files and processes that grow without limit."""

from simulator.bench.hostile.model import BASH, DEBIAN, HostileScript


def _variables() -> tuple[HostileScript, ...]:
    what = "variables that grow"
    rows = (
        ("doubling", f"s=aaaaaaaaaaaaaaaa; {'s=$s$s; ' * 26}echo ${{#s}}"),
        ("doubling-loop", "s=aaaaaaaaaaaaaaaa; while :; do s=$s$s; done"),
        ("doubling-slowly", "s=aaaaaaaaaaaaaaaa; while sleep 0.1; do s=$s$s; done"),
        ("growing-slowly", "while sleep 0.1; do s=$s$(seq 1 20000); done"),
        ("many-variables", "i=0; while :; do i=$((i+1)); eval v$i=xxxxxxxxxxxxxxxxxxxxxxxx; done"),
        (
            "many-variables-slowly",
            "i=0; while sleep 0.05; do for j in 1 2 3 4 5 6 7 8 9; do i=$((i+1)); eval v$i=$(seq 1 2000 | tr '\\n' a); done; done",
        ),
        ("many-exports", "for i in $(seq 1 5000); do export v$i=xxxxxxxxxxxxxxxxxxxx; done; for i in $(seq 1 200); do env | wc -l; done"),
        (
            "big-export",
            "export s=aaaaaaaaaaaaaaaa; for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do s=$s$s; done; while :; do env | wc -c; done",
        ),
        ("parameters-doubling", 'set -- a b c d; while :; do set -- "$@" "$@"; done'),
        ("parameters-growing", 'while sleep 0.1; do set -- "$@" $(seq 1 20000); done'),
        ("parameters-shift", "set -- $(seq 1 100000); while [ $# -gt 0 ]; do shift; done; echo end"),
        ("pipe-substitution-growing", "s=$(while :; do echo aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa; done)"),
        ("pipe-buffer", "yes | sleep 1000"),
        ("pipe-buffer-slow-reader", "while :; do seq 1 10000; done | while read x; do sleep 1; done"),
        ("functions-growing", 'i=0; while :; do i=$((i+1)); eval "f$i() { echo $i; }"; done'),
        ("directory-changes", "while :; do cd /tmp; cd /; done"),
        ("directory-name-growing", "cd /tmp; while mkdir aaaaaaaaaaaaaaaaaaaa && cd aaaaaaaaaaaaaaaaaaaa; do :; done; pwd | wc -c"),
    )
    bash = (
        ("array-growing", "a=(); while :; do a+=(x y z); done"),
        ("array-doubling", 'a=(x y z); while :; do a=("${a[@]}" "${a[@]}"); done'),
        ("array-sparse", "a[999999999999]=1; for i in ${!a[@]}; do echo $i; done; a[-5]=1"),
        ("array-read", "read -r -a a < /given/input; echo ${#a[@]}"),
        ("appending", "s=a; while :; do s+=$s; done"),
        ("printf-variable", "printf -v s '%1000000000s' x; echo ${#s}"),
    )
    return tuple(HostileScript(name=name, attacks=what, script=text) for name, text in rows) + tuple(
        HostileScript(name=name, attacks=what, script=text, image=BASH, shell="bash", given="a " * 450_000) for name, text in bash
    )


def _files() -> tuple[HostileScript, ...]:
    what = "files that grow or multiply"
    rows = (
        ("many-files", "i=0; while :; do i=$((i+1)); : > /tmp/f$i; done"),
        ("many-files-slowly", "i=0; while sleep 0.05; do for j in $(seq 1 300); do i=$((i+1)); echo x > /tmp/f$i; done; done"),
        ("file-growing", "while :; do echo aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa >> /tmp/f; done"),
        ("file-growing-slowly", "while sleep 0.05; do seq 1 20000 >> /tmp/f; done"),
        ("file-doubling", "echo aaaaaaaaaaaaaaaa > /tmp/f; while :; do cat /tmp/f /tmp/f > /tmp/g; cp /tmp/g /tmp/f; done"),
        ("file-doubling-slowly", "echo a > /tmp/f; while sleep 0.1; do cat /tmp/f /tmp/f /tmp/f > /tmp/g; mv /tmp/g /tmp/f; done"),
        ("cat-itself", "echo a > /tmp/f; cat /tmp/f /tmp/f /tmp/f > /tmp/f; cat /tmp/f >> /tmp/f; wc -c /tmp/f"),
        ("tee-itself", "cd /tmp; echo a > f; tail -f f | tee -a f"),
        ("tee-itself-file", "cd /tmp; seq 1 1000 > f; for i in $(seq 1 60); do cat f | tee -a f | tee -a f > /dev/null; done; wc -c f"),
        ("sed-in-place-growing", "echo a > /tmp/f; while :; do sed -i 's/a/aaaaaaaa/g' /tmp/f; done"),
        ("copy-into-itself", "mkdir -p /tmp/a/b; echo x > /tmp/a/f; cp -r /tmp/a /tmp/a/b; while :; do cp -r /tmp/a /tmp/a/b/c; done"),
        ("copy-doubling", "cd /tmp; mkdir a; : > a/f; i=0; while :; do i=$((i+1)); cp -r a b; mv b a/b$i; done"),
        ("long-path", "cd /tmp; p=a; for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14; do p=$p/$p; done; mkdir -p $p; ls -R . | wc -l"),
        ("dots-in-path", "cat " + "/.." * 15_000 + "/etc/hosts; cd " + "./" * 30_000),
        ("list-many", "for i in $(seq 1 5000); do : > /tmp/f$i; done; while :; do ls -lR /tmp | wc -l; done"),
        ("temporary-names", "for i in $(seq 1 5000); do mktemp; done | wc -l; while :; do mktemp -d > /dev/null; done"),
        ("remove-many", "while :; do for i in $(seq 1 500); do : > /tmp/f$i; done; rm -rf /tmp/*; done"),
        ("disk-huge", "dd if=/dev/zero of=/tmp/f bs=1000000000 count=1000000000; ls -l /tmp; cat /tmp/f | wc -c"),
        ("disk-byte-by-byte", "dd if=/dev/zero of=/tmp/f bs=1 count=1000000000; dd if=/tmp/f bs=1 count=100000 | wc -c"),
        ("allocate-huge", f"fallocate -l {'9' * 4000} /tmp/f; truncate -s {'9' * 400} /tmp/g; ls -l /tmp; md5sum /tmp/f"),
        ("many-descriptors", 'for i in $(seq 3 2000); do eval "exec $i>/tmp/f$i"; done; for i in $(seq 1 200); do echo $i | cat; done'),
        (
            "endless-devices",
            "cat /dev/zero | head -c 1000000000 | wc -c; head -c 999999999999 /dev/urandom | base64 | wc -c; cat /dev/urandom",
        ),
    )
    return tuple(HostileScript(name=name, attacks=what, script=text) for name, text in rows)


def _processes() -> tuple[HostileScript, ...]:
    what = "processes that multiply"
    rows = (
        ("fork-bomb", "f() { f | f & }; f; wait; sleep 10"),
        ("fork-bomb-waiting", "f() { f & f & wait; }; f"),
        ("fork-loop", "while :; do sleep 1000 & done"),
        ("fork-loop-slowly", "while sleep 0.01; do for i in 1 2 3 4 5 6 7 8 9; do sleep 1000 & done; done"),
        ("fork-script", "echo 'sh /tmp/s & sh /tmp/s' > /tmp/s; sh /tmp/s"),
        ("many-processes-listed", "for i in $(seq 1 3000); do sleep 1000 & done; while :; do ps | wc -l; done"),
        ("many-shells", "for i in $(seq 1 500); do (while :; do :; done) & done; wait"),
        ("many-sleeping-shells", "for i in $(seq 1 500); do (while :; do sleep 0.01; done) & done; wait"),
        ("many-pipes", "for i in $(seq 1 1000); do sleep 1000 | cat | cat & done; wait"),
        ("kill-zero-loop", "while kill -0 $$; do :; done"),
        ("kill-many", "for i in $(seq 1 1000); do sleep 1000 & done; while :; do kill -0 $(pidof sleep); done"),
        ("kill-all-loop", "while :; do sleep 1000 & killall sleep; done"),
        ("wait-loop", "while :; do sleep 0.001 & wait; wait $!; done"),
        ("wait-many", 'for i in $(seq 1 3000); do sleep 5 & p="$p $!"; done; wait $p; echo end'),
        ("env-in-env", "env " * 5000 + "echo end"),
        ("nice-in-nice", "nice " * 5000 + "echo end"),
        ("timeout-in-timeout", "timeout 1 " * 3000 + "sleep 100"),
        ("nohup-setsid", "nohup setsid " * 3000 + "sleep 100"),
        ("exec-in-exec", "exec " * 20_000 + "echo end"),
        ("command-in-command", "command " * 10_000 + "builtin " * 5000 + "echo end"),
        ("busybox-in-busybox", "busybox " * 5000 + "echo end"),
        ("signal-storm", "sh -c 'trap : USR1; while :; do :; done' & while :; do kill -USR1 $!; done"),
        ("handler-calls-itself", "nc -lk -p 8080 -e sh -c 'wget -qO- localhost:8080' & sleep 1; wget -qO- -T 2 localhost:8080"),
        ("handler-never-ends", "nc -lk -p 8080 -e sh -c 'while :; do echo x; done' & sleep 1; wget -qO- -T 2 localhost:8080 | wc -c"),
        (
            "handler-script",
            "nc -lk -p 8080 -e sh -c 'yes | head -1000000' & sleep 1; while :; do wget -qO- localhost:8080 > /dev/null; done",
        ),
        ("wget-loop", "while :; do wget -q http://localhost:1/; nslookup nowhere; done"),
    )
    execs = (
        ("exec-fork-bomb", "f() { f | f & }; f"),
        ("exec-loop", "while :; do :; done"),
        ("exec-output", "while :; do seq 1 100000; done"),
        ("exec-memory", "s=aaaaaaaaaaaaaaaa; while :; do s=$s$s; done"),
        ("exec-background", "while :; do (while :; do sleep 0.1; done) & done"),
    )
    return (
        *(HostileScript(name=name, attacks=what, script=text) for name, text in rows),
        HostileScript(name="fork-bomb-colon", attacks=what, script=":(){ :|:& };:; sleep 10", image=DEBIAN, shell="bash"),
        *(HostileScript(name=name, attacks=f"{what}, by kubectl exec", script="sleep 1000", exec=text) for name, text in execs),
    )


_LONG = "s=xxxxxxxxxxxxxxxx; for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do s=$s$s; done;"
"""Produces a text of 524,288 characters."""


def _pieces() -> tuple[HostileScript, ...]:
    """Many small things that one command walks through at once, and texts that are held unused."""
    what = "walks and texts that cost nothing of their own"
    exports = "export $(printf 'a%s ' $(seq 1 9000));"
    waiting = 'b=\'$a $a $a $a $a $a $a $a $a $a\'; b="$b $b $b $b $b $b $b $b $b $b"; b="$b $b $b $b $b $b $b $b $b"'
    handler = 'i=0; while [ $i -lt 1500 ]; do i=$((i+1)); done; printf "HTTP/1.1 200 OK\\n\\nx"'
    rows = (
        ("unset-exports", "export $(printf 'a%s ' $(seq 1 1900)); while :; do unset a b c d e f g h i j k l m n o p q r s t u v; done"),
        ("unset-many", exports + " unset $(printf 'b%s ' $(seq 1 9000))"),
        ("export-n-many", exports + " export -n $(printf 'b%s ' $(seq 1 9000))"),
        (
            "wait-many-unpaid",
            f'w() {{ : & a=$!; {waiting}; sleep 1000 & eval "wait $b $!"; }}; '
            "for i in $(seq 1 100); do w & sleep 0.05; done; sleep 1; while :; do (:); done",
        ),
        ("awk-print-again", f"{_LONG} awk '{{print {'$0 ' * 2000}}}' <<E\n$s\nE"),
        ("sed-match-again", f"{_LONG} sed 's/.*/{'&' * 2000}/' <<E\n$s\nE"),
        ("set-letters", f"{_LONG} set -$s; set -$s; while :; do set -$s; done"),
        ("local-again", "f() { while :; do local a b c d e f g h i j k l; done; }; f"),
        ("local-held", f"{_LONG} f() {{ while :; do b=$s$n; local b; n=$((n+1)); sleep 0.05; done; }}; f"),
        ("parameters-held", f'{_LONG} f() {{ set -- "$s$1"; sleep 0.05; n=$((n+1)); [ $n -lt 600 ] && f $n; :; }}; f a; sleep 1000'),
        (
            "kill-many-unpaid",
            "trap : USR1; P=$(printf '1 %.0s' $(seq 1 8000)); (sleep 1; kill -USR1 $P; kill -USR1 $P) & sleep 99; sleep 99",
        ),
        ("kill-pending", "trap : USR1; (while :; do for i in $(seq 300); do kill -USR1 1 1 1 1 1; done; sleep 0.03; done) & sleep 99"),
        ("tr-ranges-unpaid", "tr '" + "!-\ua000" * 20_000 + "' x <<E\nabc\nE"),
        ("arithmetic-sum-unpaid", "s=1+1+1+1+1+1+1+1+; for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14; do s=$s$s; done; sleep 1; : $((${s}1))"),
        ("file-names", "n=$(printf %0100000d 1); i=0; while :; do i=$((i+1)); : > /tmp/$n$i; : > /tmp/${n}b$i; sleep 0.05; done"),
        (
            "handler-cost",
            f"(nc -lk -p 80 -e sh -c '{handler}') & sleep 1; "
            "while :; do for i in $(seq 200); do wget -qO- localhost & done; sleep 0.1; done",
        ),
    )
    return tuple(HostileScript(name=name, attacks=what, script=text) for name, text in rows)


SCRIPTS: tuple[HostileScript, ...] = (*_variables(), *_files(), *_processes(), *_pieces())
