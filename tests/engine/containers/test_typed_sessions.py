"""Commands with an input from outside: a shell at a terminal, a script that is piped in, archives of kubectl cp."""

import io
import tarfile

from simulator.engine import containers as behaviour
from simulator.engine.containers import Ends, ExecTurn, Host, Launch
from simulator.engine.containers.files.etc import Naming
from simulator.engine.containers.turns.instances import SEEN

TERMINAL, PIPED, LOOKING = Ends(input=True, terminal=True), Ends(input=True, apart=True), Ends(apart=True)


class TypedShell:
    """A container and a command in it that receives typed input."""

    def __init__(self, *argv: str, ends: Ends = TERMINAL, image: str = "busybox:1.36") -> None:
        launch = Launch(image=image, command=("sleep", "1000"), naming=Naming(hostname="web"))
        self.process = behaviour.start(launch, Host(0)).process
        self.now_ms = 1000
        self.turn = self.begin(*argv, ends=ends)

    def begin(self, *argv: str, ends: Ends) -> ExecTurn:
        self.turn = behaviour.exec_start(self.process, argv, Host(self.now_ms), ends=ends)
        self.process = self.turn.process
        return self.turn

    def said(self, text: str = "", *, is_end: bool = False, interrupts: bool = False) -> str:
        """Its output so far, after this was typed."""
        assert self.turn.exec is not None
        typed = behaviour.Typing(text, is_end=is_end, interrupts=interrupts)
        self.turn = behaviour.exec_input(self.process, self.turn.exec, Host(self.now_ms), typed)
        self.process = self.turn.process
        return self.turn.output if self.turn.exec is None else self.process.pipes[self.turn.exec.pipe]


def test_a_shell_at_a_terminal_asks_for_each_command_and_ends_with_its_code():
    shell = TypedShell("sh")
    assert shell.said("cd /tmp\n") == "/ # /tmp # "
    assert shell.said("x=5; echo $x\n").endswith("# 5\n/tmp # ")
    shell.said("exit 3\n")
    assert (shell.turn.exec, shell.turn.exit_code, len(shell.process.tasks)) == (None, 3, 1)


def test_a_command_of_several_lines_is_asked_for_until_it_is_whole():
    shell = TypedShell("sh")
    assert shell.said("for i in 1 2\n").endswith("# > ")
    assert shell.said("do echo n$i; done\n").endswith("> n1\nn2\n/ # ")
    shell.said("cat <<E\n")
    shell.said("text $i\n")
    assert shell.said("E\n").endswith("> text 2\n/ # ")


def test_a_mistake_does_not_end_a_shell_at_a_terminal():
    shell = TypedShell("sh")
    assert shell.said("echo ${x\n").endswith("bad substitution\n/ # ")
    assert shell.said("nosuch\n").endswith("not found\n/ # ")
    assert shell.turn.exec is not None


def test_the_key_c_with_control_ends_what_runs_and_not_the_shell():
    shell = TypedShell("sh")
    shell.said("sleep 500\n")
    assert len(shell.process.tasks) == 4
    assert shell.said(interrupts=True).endswith("\n/ # ")
    assert shell.said("echo $?\n").endswith("130\n/ # ")


def test_what_a_command_reads_comes_from_the_same_terminal():
    shell = TypedShell("sh")
    shell.said("read x; echo got $x\n")
    assert shell.said("foo\n").endswith("got foo\n/ # ")


def test_a_script_that_is_piped_in_runs_without_a_prompt_and_its_outputs_are_apart():
    shell = TypedShell("sh", ends=PIPED)
    shell.said("echo a; nosuch; ec")
    shell.said("ho b\nexit 4", is_end=True)
    assert (shell.turn.printed, shell.turn.errors, shell.turn.exit_code) == ("a\nb\n", "sh: nosuch: not found\n", 4)


def test_prompts_are_those_of_the_image():
    assert TypedShell("bash", image="debian:12").said() == "root@web:/# "
    assert TypedShell("sh", image="debian:12").said() == "# "


def test_a_program_reads_its_input_up_to_the_end():
    counting = TypedShell("wc", "-l", ends=PIPED)
    counting.said("one\ntwo\n")
    assert counting.turn.exec is not None
    assert counting.said(is_end=True).strip() == "2"


def test_without_an_input_a_shell_ends_at_once():
    turn = TypedShell("sh", ends=LOOKING).turn
    assert (turn.exec, turn.exit_code, turn.printed) == (None, 0, "")


def test_what_is_packed_can_be_read_by_any_tar_and_unpacked_again():
    box = TypedShell("sh", ends=PIPED)
    box.said("mkdir -p /data/deep; printf 'hé\\n' > /data/deep/a; touch /data/empty", is_end=True)
    turn = box.begin("tar", "cf", "-", "/data", ends=LOOKING)
    packed = (turn.printed or "").encode("utf-8", "surrogateescape")
    with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
        assert archive.getnames() == ["data", "data/deep", "data/deep/a", "data/empty"]
        member = archive.extractfile("data/deep/a")
        assert member is not None and member.read() == "hé\n".encode()
    box.begin("tar", "-xmf", "-", "-C", "/tmp", ends=PIPED)
    box.said(packed.decode("utf-8", "surrogateescape"), is_end=True)
    assert (box.turn.exit_code, box.begin("cat", "/tmp/data/deep/a", ends=LOOKING).printed) == (0, "hé\n")


def test_bytes_that_are_not_text_come_out_as_they_went_in():
    data, packed = bytes(range(256)) * 3, io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        member = tarfile.TarInfo("blob")
        member.size = len(data)
        archive.addfile(member, io.BytesIO(data))
    box = TypedShell("tar", "xmf", "-", "-C", "/tmp", ends=PIPED)
    box.said(packed.getvalue().decode("utf-8", "surrogateescape"), is_end=True)
    turn = box.begin("cat", "/tmp/blob", ends=LOOKING)
    assert (turn.printed or "").encode("utf-8", "surrogateescape") == data


def test_an_archive_that_is_cut_off_or_leads_out_of_its_directory_does_no_harm():
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        member = tarfile.TarInfo("../../etc/out")
        member.size = 2
        archive.addfile(member, io.BytesIO(b"x\n"))
    box = TypedShell("tar", "xmf", "-", "-C", "/tmp", ends=PIPED)
    box.said(packed.getvalue().decode(), is_end=True)
    assert box.begin("cat", "/tmp/etc/out", ends=LOOKING).printed == "x\n"
    box.begin("tar", "xmf", "-", ends=PIPED)
    box.said(packed.getvalue().decode()[:513], is_end=True)
    assert (box.turn.exit_code, box.turn.errors) == (1, "tar: short read\n")


def test_scripts_of_the_container_itself_have_a_tar_that_packs_nothing():
    process = behaviour.start(Launch(image="busybox:1.36", command=("sleep", "9")), Host(0)).process
    turn = behaviour.exec_start(process, ("tar", "cf", "-", "/tmp"), Host(0))
    assert (turn.exit_code, turn.printed, [note.name for note in turn.notes]) == (0, None, ["command-not-understood"])


def test_a_main_process_with_an_input_is_typed_into_and_what_it_prints_is_logged_as_well():
    process = behaviour.start(Launch(image="busybox:1.36", stdin=True, tty=True), Host(0)).process
    turn = behaviour.type_into(process, "echo $((1+1))\n", Host(10))
    assert (turn.process.pipes[SEEN], [line.text for line in turn.log]) == ("/ # 2\n/ # ", ["/ # 2"])
    turn = behaviour.type_into(turn.process, "sleep 50\n", Host(20))
    turn = behaviour.type_into(turn.process, "", Host(30), interrupts=True)
    assert turn.exit_code is None and turn.process.pipes[SEEN].endswith("\n/ # ")
    assert behaviour.type_into(turn.process, "exit 4\n", Host(40)).exit_code == 4
    assert behaviour.type_into(turn.process, "", Host(40), is_end=True).exit_code == 130


def test_without_one_nothing_is_typed():
    process = behaviour.start(Launch(image="busybox:1.36", command=("sleep", "9")), Host(0)).process
    assert behaviour.type_into(process, "exit\n", Host(10)).process is process
