"""The programs of the images: floods of output, huge numbers and arguments, and the recognisers of other languages."""

from simulator.bench.hostile.model import DEBIAN, PERL, PYTHON, HostileScript

_DIGITS = "9" * 4000
_PYTHON_LINE = 'python3 -c \'import os\nif int(os.environ["A"]'


def _floods() -> tuple[HostileScript, ...]:
    what = "output without end"
    rows = (
        ("seq-loop", "while :; do seq 1 100000; done"),
        ("seq-huge", "seq 1 999999999999 | wc -l"),
        ("seq-digits", f"seq 1 {_DIGITS} | head -3; seq {_DIGITS} -1 1 | tail -1"),
        ("seq-separator", f"seq -s {'x' * 50_000} 1 100000 | wc -c"),
        ("seq-fractions", "seq 0.0000001 0.0000001 1000 | wc -l"),
        ("seq-width", f"seq -w 1 1{'0' * 3000} | head -1 | wc -c; seq -f %.999999999f 1 3"),
        ("seq-in-substitution", "while :; do x=$(seq 1 1000000); done"),
        ("seq-in-for", "for i in $(seq 1 100000000); do :; done"),
        ("yes-head", "yes | head -1000000000 | wc -l; yes $(seq 1 10000) | head -c 10000000000 | wc -c"),
        ("yes-log", "yes"),
        ("printf-without-break", "while :; do printf aaaaaaaaaaaaaaaa; done"),
        ("printf-without-break-slowly", "while sleep 0.01; do printf '%10000s' a; done"),
        ("echo-loop", "while :; do echo $(seq 1 3000); done"),
        ("log-of-long-lines", "while sleep 0.05; do seq 1 50000 | tr '\\n' ' '; echo; done"),
        ("log-of-many-lines", "while sleep 0.05; do seq 1 20000; done"),
        ("cat-script", "while :; do cat $0 /given/input; done"),
        ("base64-flood", "while :; do head -c 300000 /given/input | base64 | base64 | base64 | wc -c; done"),
        ("digest-flood", "while :; do sha256sum /given/input /given/input /given/input; done"),
        ("trace-flood", "set -x; while :; do : $(seq 1 5000); done"),
        ("date-loop", "while :; do date; done"),
        ("date-specifiers", f"date '+{'%c' * 50_000}' | wc -c; date -d @{_DIGITS}"),
        ("termination-message", "while sleep 0.1; do seq 1 50000 >> /dev/termination-log; done"),
    )
    return tuple(HostileScript(name=name, attacks=what, script=text, given="0123456789abcdef" * 20_000) for name, text in rows)


def _numbers() -> tuple[HostileScript, ...]:
    what = "numbers and widths without measure"
    rows = (
        ("printf-precision", "printf '%.1000000000d' 1 | wc -c"),
        ("printf-width", "printf '%1000000000s' x | wc -c; printf '%-1000000000d' 1 | wc -c"),
        ("printf-star", "printf '%*d' 1000000000 1 | wc -c; printf '%.*f' 1000000000 1 | wc -c"),
        ("printf-digits", f"printf '%{_DIGITS}d' 1; printf %d {_DIGITS}; printf %x {_DIGITS}; printf %.{_DIGITS}f 1"),
        ("printf-format-repeats", "printf '%1000000s' $(seq 1 100000) | wc -c"),
        ("printf-long-format", f"printf '{'%d' * 50_000}' 1"),
        ("printf-escapes", "printf '" + "\\\\" * 50_000 + "'"),
        (
            "head-digits",
            f"yes | head -n {_DIGITS} | wc -l; seq 1 10 | tail -n {_DIGITS}; head -c {_DIGITS} /etc/hosts; tail -n +{_DIGITS} /etc/hosts",
        ),
        ("sleep-digits", f"sleep {_DIGITS} & sleep 0.{_DIGITS} & sleep 1e999999999 & sleep inf & wait"),
        ("sleep-tiny", "while :; do sleep 0.0000001; done"),
        ("timeout-digits", f"timeout {_DIGITS} sleep 1; timeout -k {_DIGITS} 1 sleep 2; kill -{_DIGITS} 1; kill {_DIGITS}"),
        ("expr-digits", f"expr {_DIGITS} '*' {_DIGITS}; expr {_DIGITS} / 3; expr substr abc 1 {_DIGITS}"),
        ("expr-long", "expr 1 " + "+ 1 " * 30_000),
        ("chmod-digits", f"chmod {_DIGITS} /tmp; id {_DIGITS}; umask {_DIGITS}; ulimit -n {_DIGITS}"),
        ("awk-loop", "awk 'BEGIN { while (1) x = x \"aaaa\" }'"),
        ("awk-print-width", "awk 'BEGIN { printf \"%1000000000d\", 1 }' | wc -c"),
        ("awk-many-fields", "awk '{ print $1, $NF, NF }' /given/input"),
    )
    return tuple(HostileScript(name=name, attacks=what, script=text, given="a " * 450_000) for name, text in rows)


def _tables() -> tuple[HostileScript, ...]:
    what = "sets, lists and tables of thousands"
    fields = ",".join(str(n) for n in range(1, 10_001))
    rows = (
        ("tr-sets", f"seq 1 10000 | tr '{'a-z' * 15_000}' '{'A-Z' * 15_000}' | wc -c"),
        ("tr-ranges", "seq 1 10000 | tr '\\000-\\377' '\\377' | wc -c; echo a | tr 'a-\U0010ffff' x; echo a | tr '[a*999999999]' x"),
        ("tr-delete", "cat /given/input | tr -dc 'a-z\\n' | tr -s a | wc -c"),
        ("cut-fields", f"seq 1 5000 | cut -d, -f {fields} | wc -c"),
        ("cut-characters", f"cat /given/input | cut -c {fields} | wc -c; cut -c 1-{_DIGITS} /etc/hosts"),
        ("sort-flood", "seq 1 200000 | sort -rn | sort -k1,1 | uniq -c | sort -n | tail -1"),
        ("sort-keys", "seq 1 20000 | sort " + "-k1,1n " * 3000 + "| tail -1"),
        ("sort-same", "yes aaaaaaaaaaaaaaaaaaaaaaaa | head -300000 | sort | uniq -c"),
        ("uniq-long-lines", "cat /given/input /given/input /given/input | sort | uniq -c | wc -c"),
        ("wc-loop", "while :; do cat /given/input | wc; done"),
        ("rev-tac", "while :; do cat /given/input | rev | tac | rev | wc -c; done"),
        ("grep-many-patterns", "seq 1 3000 | grep -f /given/input; grep " + "-e a " * 10_000 + "/etc/hosts"),
        ("sed-many-commands", "seq 1 3000 | sed '" + "s/1/2/;" * 10_000 + "' | tail -1"),
        ("sed-loop", "echo a | sed ':x;s/$/a/;bx'"),
        ("sed-ranges", "seq 1 3000 | sed -n '" + "1,$p;" * 3000 + "' | wc -l"),
        ("find-exec", "for i in $(seq 1 1500); do : > /tmp/f$i; done; find / -type f -exec find / ';' | wc -l"),
        ("xargs-loop", "seq 1 100000 | xargs -n 1 echo | wc -l; seq 1 100000 | while read i; do echo $i; done | wc -l"),
        ("du-df-loop", "while :; do du -a /; df; done"),
    )
    return tuple(HostileScript(name=name, attacks=what, script=text, given=f"{'ab' * 100}\n" * 2000) for name, text in rows)


def _languages() -> tuple[HostileScript, ...]:
    what = "the recognisers of other languages"
    blanks = " " * 100_000
    python = (
        ("python-blanks", f"python3 -c 'print(1){blanks}x'"),
        ("python-quotes", "python3 -c 'print(" + '"' * 100_000 + "'"),
        ("python-prints", "python3 -c 'print(f\"" + 'a")print("' * 9000 + "'"),
        ("python-environment", f"{_PYTHON_LINE}{blanks}== 3:\n  print(1)'"),
        ("python-many-lines", "python3 -c '" + 'print("a")\n' * 10_000 + "'"),
        ("python-semicolons", "python3 -c '" + ";" * 100_000 + "'"),
        ("python-nested-if", "python3 -c '" + "".join(" " * n + "if True:\n" for n in range(400)) + "'"),
        ("python-parentheses", f"python3 -c 'print({'(' * 1900}1{')' * 1900})'"),
        ("python-signs", f"python3 -c 'print({'-' * 3900}1)'"),
        ("python-endless", "python3 -c 'while True: pass'"),
        ("python-again", "while :; do python3 -c 'for i in range(400): print(i)'; done"),
        ("python-formatted", "python3 -c '" + 'f"{1}";' * 550 + "'"),
        ("python-digits", f"python3 -c 'import sys, time; time.sleep({'9' * 5000}); sys.exit({'9' * 5000})'"),
    )
    perl = (
        ("perl-blanks", f"perl -e '{blanks}print{blanks[:20_000]}x'"),
        ("perl-quotes", "perl -e '" + '"' * 100_001 + "'"),
        ("perl-digits", f"perl -Mbignum=bpi -wle 'print bpi({'9' * 5000})'; perl -Mbignum=bpi -wle 'print bpi(10000)'"),
        ("perl-exit", f"perl -e 'exit({'9' * 5000})'"),
    )
    return (
        *(HostileScript(name=name, attacks=what, script=text, image=PYTHON) for name, text in python),
        *(HostileScript(name=name, attacks=what, script=text, image=PERL) for name, text in perl),
        HostileScript(
            name="getent-long", attacks=what, script=f"getent hosts {'a.' * 30_000}; printenv {'A' * 60_000}", image=DEBIAN, shell="bash"
        ),
        HostileScript(
            name="addresses-long", attacks=what, script=f"wget -qO- http://{'a.' * 15_000}:99999/{'/..' * 10_000}; nslookup {'.' * 60_000}"
        ),
        HostileScript(name="argument-too-long", attacks=what, script="echo " + "a" * 140_000),
    )


SCRIPTS: tuple[HostileScript, ...] = (*_floods(), *_numbers(), *_tables(), *_languages())
