"""The presumed files of an unknown image, and those that are never presumed."""

import pytest

from simulator.engine.containers.process.state import Presumed
from tests.engine.containers.containers import mounted, program, run
from tests.engine.worlds import container, header, pod
from tests.engine.worlds import run as play

APP = "example/app:1"
ENDS = Presumed(ends=True)
TAKES = (
    "cp /app/tool /v/s/tool",
    "mv /app/tool /v/s/tool",
    "cp /usr/local/bin/tool /v/s/",
    "cp -r /app/dist/. /v/s/tool",
    "chmod +x /app/tool && cp /app/tool /v/s/tool",
    ". /app/env.sh && cp /app/tool /v/s/tool",
)


@pytest.mark.parametrize("script", TAKES)
def test_script_takes_a_file_of_an_unknown_image_for_granted(script):
    box = mounted(f"{script} && ls /v/s", {"s": {}}, APP)
    assert (box.stdout, box.exit_code) == (["tool"], 0)
    assert "command-not-understood" in box.notes


@pytest.mark.parametrize("script", TAKES)
def test_image_that_is_known_has_what_it_has(script):
    box = mounted(script, {"s": {}})
    assert box.exit_code != 0 and not box.volumes["s"]


@pytest.mark.parametrize("path", ["/tmp/ready", "/run/app.pid", "/var/run/app.pid", "/v/s/ready", "/proc/77/status"])
def test_what_comes_at_run_time_is_there_only_once_it_was_written(path):
    box = mounted(f"cp {path} /v/s/copy || echo missing", {"s": {}}, APP)
    assert (box.stdout, box.notes) == (["missing"], [])


@pytest.mark.parametrize("test", ["-e", "-f", "-s", "-x"])
def test_question_whether_a_file_is_there_is_not_answered_by_a_guess(test):
    assert run(f"test {test} /app/tool || echo missing", APP).stdout == ["missing"]


def test_script_of_an_unknown_image_does_what_an_init_container_must():
    box = run("sh /app/migrate.sh && echo done", APP, presumed=ENDS)
    assert (box.at(900).stdout, box.at(1_100).stdout) == ([], ["done"])


def test_copy_of_an_unknown_program_is_that_program():
    """Started directly, or by a shell, it runs until it is stopped; a copy is not a script that ends at once."""
    copied = mounted("cp /app/tool /v/s/tool; exec sleep 600", {"s": {}}, APP).volumes
    for box in (mounted("/v/s/tool serve", copied, APP), mounted("exec /v/s/tool serve", copied, "busybox:1.28")):
        assert (box.at(60_000).exit_code, box.notes[-1]) == (None, "command-not-understood")


@pytest.mark.parametrize(
    ("argv", "code"), [(("cp", "/app/tool", "/tmp/tool"), 0), (("chmod", "+x", "/app/tool"), 1), (("mv", "/app/tool", "/tmp/tool"), 1)]
)
def test_root_that_is_read_only_holds_it_and_keeps_it(argv, code):
    box = program(*argv, image=APP, writable=("/tmp",))
    assert (box.exit_code, any("Read-only file system" in line for line in box.stderr)) == (code, bool(code))


def test_init_container_hands_a_program_over_to_a_known_image():
    mounts = [{"name": "s", "mountPath": "/shared"}]
    copy = {"name": "copy", "image": APP, "command": ["/bin/cp", "-n", "/usr/local/bin/tool", "/shared/tool"], "volumeMounts": mounts}
    app = container("exec /shared/tool serve", volumeMounts=mounts)
    world, records = play(header(pod(app, initContainers=[copy], volumes=[{"name": "s", "emptyDir": {}}]), images=(APP,)), 60)
    (row,) = world.tables.pods.values()
    assert row.status.condition("Ready").status == "True"
    said = [record.get("text") for record in records if record.machine == "note"]
    assert "It is not known whether the image has /usr/local/bin/tool; it is taken to." in said
