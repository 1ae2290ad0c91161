"""Programs that images really have and that a script calls on its way, but whose work is not simulated.

tar, gzip, apk, sysctl and their kind prepare something and end. A script that calls one expects it
to succeed, so it does, with a note: to report it as missing would be false, and to let it run would
keep the script from what comes next. Daemons such as crond, which a container has as its program,
run instead (``opaque``). A few are simple enough to be worked out.

Sources: busybox 1.36 (make defconfig), the packages of Debian's minbase and alpine-baselayout.
"""

from simulator.engine.containers.files.filesystem import DIRECTORY, File
from simulator.engine.containers.kernel.execute import Call, Missing, ProgramStart, execute, hold_unknown
from simulator.engine.containers.kernel.presumed_files import PROGRAM_BYTES
from simulator.engine.containers.process.state import Sleeper
from simulator.engine.containers.programs.basic import run_other

_BUSYBOX = """
addgroup adduser adjtimex ar arch arp arping bc blkdiscard blkid blockdev brctl bunzip2 bzcat bzip2 cal chat chattr chpasswd chvt cksum
cmp comm cpio crontab cryptpw dc delgroup deluser depmod diff dmesg dnsdomainname dos2unix dumpkmap dumpleases ed eject ether-wake expand
factor fdisk findfs fold free freeramdisk fsck fsfreeze fstrim fsync fuser getopt groups gunzip gzip halt hdparm hexdump hexedit hostid
hwclock i2cdetect ifconfig ifdown ifup insmod install iostat ip ipaddr ipcalc iplink ipneigh iproute iprule iptunnel kbd_mode killall5
last less link loadfont logger logname logread losetup lsattr lsmod lsof lspci lsscsi lsusb lzcat lzma lzop modinfo modprobe more mount
mountpoint mpstat mt nameif netstat nl nproc od partprobe passwd paste patch pivot_root pmap poweroff powertop pscan pstree pwdx rdate
readahead reboot renice reset resize resume route rpm rpm2cpio scriptreplay setconsole setfattr shred shuf slattach smemcap split
ssl_client strings stty sulogin sum sv svc swapoff swapon switch_root sysctl tar tc tftp traceroute traceroute6 tree tsort ttysize tunctl
ubirename udhcpc umount unexpand unix2dos unlink unlzma unxz unzip uptime users usleep uudecode uuencode vconfig vlock volname w wall who
xxd xz xzcat zcat
"""
"""Applets of busybox."""
ALPINE = ("apk", "getconf", "iconv", "ldd", "scanelf")
_DEBIAN = """
addgroup adduser apt apt-cache apt-get apt-key apt-mark arch b2sum base32 bunzip2 bzcat bzip2 chattr chcon chpasswd cksum cmp comm csplit
deluser diff dircolors dmesg dpkg dpkg-query expand factor findmnt fmt fold getopt groupadd groups gunzip gzip hostid iconv install ipcmk
join ldconfig ldd link locale logger logname losetup lsblk lscpu lsmem mcookie mkfifo mknod more mount mountpoint namei nl nproc numfmt od
passwd paste pathchk pinky pivot_root pr prlimit ptx readlink realpath renice resizepart sha224sum sha384sum shred shuf split stty sum
swapoff swapon tabs tar tput tset tsort umount unexpand unlink update-alternatives useradd usermod users userdel wall who xargs zcat zgrep
"""
"""Programs of Debian's and Ubuntu's images."""
BUSYBOX, DEBIAN = tuple(_BUSYBOX.split()), tuple(_DEBIAN.split())
DAEMONS = (
    "acpid",
    "crond",
    "dnsd",
    "fakeidentd",
    "ftpd",
    "inetd",
    "klogd",
    "ntpd",
    "syslogd",
    "telnetd",
    "top",
    "udhcpd",
    "watch",
    "nmeter",
)
"""Programs of busybox that run until they are stopped."""
SERVERS = ("apache2", "dnsmasq", "dockerd", "haproxy", "lighttpd", "php-fpm", "rsyslogd", "squid", "sshd", "supervisord", "vsftpd")
"""Servers that packages bring and that a container has as its program."""
RUNNERS = (
    *("chroot", "chrt", "cttyhack", "flock", "ionice", "nsenter", "run-parts", "runuser", "script", "setarch", "setpriv"),
    *("start-stop-daemon", "stdbuf", "su", "taskset", "time", "unshare"),
)
"""Programs that run another one, in a way that is not simulated."""


def taken_to_succeed(call: Call) -> "int | ProgramStart":
    """A program whose work is not simulated: it succeeds at once and prints nothing."""
    return hold_unknown(call.kernel, f"{' '.join(call.argv)[:120]} cannot be worked out", is_asked=True)


_INSTALLED: dict[str, tuple[str, ...]] = {
    "bind-tools": ("dig", "host", "nslookup"), "bind9-host": ("host",), "default-mysql-client": ("mysql", "mysqladmin", "mysqldump"),
    "dnsutils": ("dig", "host", "nslookup"), "gettext": ("envsubst",), "gettext-base": ("envsubst",), "iproute2": ("ip", "ss"),
    "iputils-ping": ("ping",), "mariadb-client": ("mariadb", "mysql", "mysqladmin", "mysqldump"), "mongodb-tools": ("mongodump",),
    "mysql-client": ("mysql", "mysqladmin", "mysqldump"), "net-tools": ("ifconfig", "netstat", "route"), "netcat": ("nc",),
    "netcat-openbsd": ("nc",), "netcat-traditional": ("nc",), "openssh": ("scp", "ssh", "ssh-keygen", "sshd"),
    "openssh-client": ("scp", "ssh", "ssh-keygen"), "openssh-server": ("ssh-keygen", "sshd"),
    "postgresql-client": ("pg_dump", "pg_isready", "psql"), "procps": ("free", "pgrep", "pkill", "ps", "sysctl", "top"),
    "psmisc": ("killall", "pstree"), "python3-pip": ("pip", "pip3"), "redis": ("redis-cli",), "redis-tools": ("redis-cli",),
    "supervisor": ("supervisorctl", "supervisord"),
}  # fmt: skip
INSTALLERS = ("apk", "apt", "apt-get", "dnf", "microdnf", "yum")
INSTALLED = "/usr/bin"


def install(call: Call) -> "int | ProgramStart":
    """``apk add``, ``apt-get install`` and their kind: a package brings the programs above, or else one of its own name."""
    verb = next((word for word in call.argv[1:] if not word.startswith("-")), "")
    if verb in ("add", "install"):
        packages = [word.partition("=")[0] for word in call.argv[1:] if not word.startswith((".", "-", "/")) and word != verb]
        for name in [program for package in packages for program in _INSTALLED.get(package, (package,))]:
            path = f"{INSTALLED}/{name}"
            if call.kernel.fs.get(path) is None:
                call.kernel.fs.set_entry(path, File(mode=0o755, extra_bytes=PROGRAM_BYTES))
    return taken_to_succeed(call)


def git(call: Call) -> "int | ProgramStart":
    """``git``: ``clone`` makes its directory, which stays empty."""
    words = [word for word in call.argv[1:] if not word.startswith("-")]
    if words[:1] == ["clone"]:
        urls = [index for index, word in enumerate(words) if "://" in word or word.startswith("git@")]
        if urls:
            after = words[urls[0] + 1 : urls[0] + 2]
            name = after[0] if after else words[urls[0]].rstrip("/").rpartition("/")[2].removesuffix(".git")
            call.kernel.fs.set_entry(call.path(name), File(mode=DIRECTORY | 0o755))
    return taken_to_succeed(call)


def sysctl(call: Call) -> "int | ProgramStart":
    """``sysctl -w name=value …``: prints what it sets. Whether the container may set it is not simulated."""
    settings = [word.partition("=") for word in call.argv[1:] if "=" in word]
    if not settings:
        return taken_to_succeed(call)
    if not any(word.startswith("-") and "q" in word for word in call.argv[1:]):
        call.out("".join(f"{name} = {value}\n" for name, _, value in settings))
    return 0


def path_of(call: Call) -> int:
    """``realpath`` and ``readlink [-f] path``: links are not simulated, so each path is its own, and ``readlink`` alone prints nothing."""
    names = [word for word in call.argv[1:] if not word.startswith("-")]
    if call.name == "readlink" and not any(word.startswith("-") and set(word) & set("fem") for word in call.argv[1:]):
        return 1
    call.out("".join(f"{call.path(name)}\n" for name in names))
    return 0 if names else 1


def usleep(call: Call) -> "int | ProgramStart":
    """``usleep microseconds``."""
    text = call.argv[1] if len(call.argv) > 1 else ""
    if not text.isdecimal() or len(text) > 15:
        return call.fail(f"invalid number '{text}'")
    return ProgramStart(Sleeper(), "timer", call.kernel.now_ms + int(text) // 1000)


def make_files(call: Call) -> int:
    """``mkfifo`` and ``mknod``: an empty file stands for the pipe or device."""
    for name in [word for word in call.argv[1:] if not word.startswith("-")][: None if call.name == "mkfifo" else 1]:
        call.kernel.fs.write(call.path(name), "")
    return 0


def xargs(call: Call) -> "int | ProgramStart":
    """``xargs [-0rt] [-n count] [-I mark] [program argument …]``: runs the program with the words of its input."""
    words, options = list(call.argv[1:]), {}
    while words and words[0].startswith("-") and len(words[0]) > 1:
        word = words.pop(0)
        letter = word[1]
        if letter in "nIPLsdE":
            options[letter] = word[2:] or (words.pop(0) if words else "")
        else:
            options.update(dict.fromkeys(word[1:], ""))
    text = call.input()
    call.charge(len(text))
    runs = _runs(tuple(words or ["echo"]), text, options)
    for argv in runs[:-1]:
        result = execute(call.kernel, call.task, argv, fds=call.fds, env=call.env)
        # One after the other would need a process of its own for each.
        if isinstance(result, Missing | ProgramStart):
            return taken_to_succeed(call)
        if result:
            return 123
    result = run_other(call, runs[-1]) if runs else 0
    return 123 if isinstance(result, int) and 0 < result < 126 else result


_RUNS_MAX = 1000


def _runs(command: tuple[str, ...], text: str, options: dict[str, str]) -> list[tuple[str, ...]]:
    """The command lines that xargs makes of its input, at most 1000."""
    if "I" in options:
        mark = options["I"] or "{}"
        lines = [line.strip() for line in text.splitlines() if line.strip()][:_RUNS_MAX]
        return [tuple(word.replace(mark, line) for word in command) for line in lines]
    words = [word for word in text.split("\0") if word] if "0" in options else text.split()
    if not words:
        return [] if "r" in options else [command]
    count = int(options["n"]) if options.get("n", "").isdecimal() and len(options["n"]) < 10 else 0
    if not count:
        return [(*command, *words)]
    return [(*command, *words[at : at + count]) for at in range(0, len(words), count)][:_RUNS_MAX]
