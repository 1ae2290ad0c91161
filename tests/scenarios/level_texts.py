"""A level that uses every part of the form."""

FULL_LEVEL = """
title = "Let it \\"finish\\""
track = "termination"
story = "sixty-fifty-five-ten"
horizon = "120s"
seeds = [42, 7, 2024]
allow = ["delete_pod"]
order = 5
minutes = 3
objectives = ["d3", "k1"]
kubernetes = "1.30"
gates = { SidecarContainers = true }
jitter = false
brief = ["The shop needs ten seconds.", "容器\\nand a 'second' line"]
debrief = '''
The hook draws
on the \\same budget.'''
sources = [{ title = "Pod lifecycle", url = "https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/" }]

[[happens]]
at = "50s"
do = "hang_container"
target = "default/shop"
container = "app"
hang = true

[[check]]
id = "gone"
text = "The pod is gone."
points = 3
reason = "It stayed."
eventually = { machine = "object", subject = "pod/default/shop", target = "gone" }
after = { kind = "command", target = "accepted", data = { do = "delete_pod" } }
within = "75s"

[[check]]
id = "few"
at_most.machine = "container"
at_most.owner = "deployment/default/web"
at_most.target = ["exited", "waiting"]
at_most.data = { instance = { min = 1, max = 9 }, reason = ["a", 2, true] }
times = 0
from = "1s"
by = "90.5s"
vacuous_ok = true

[[check]]
id = "hook-whole"
order = { machine = "hook", target = "done" }
then = { machine = "stop", target = "term" }

[[check]]
id = "short"
lasts = { machine = "phase", subject = "pod/default/shop#*", target = "Pending" }
max = "5s"
each = true
after = { kind = "command" }
until = { machine = "object", target = "gone" }

[[check]]
id = "neither"
never = { machine = "object", target = "gone", or = [{ machine = "stop", target = "killed", owner = "deployment/default/web" }] }
after = { kind = "command", own = true }

[[check]]
id = "one-at-a-time"
always = { machine = "phase", subject = "pod/default/shop#*", target = "Running" }
most = 1

[[check]]
id = "two-at-last"
eventually = { machine = "phase", target = "Running" }
least = 2

[[check]]
id = "then"
always = { machine = "phase", target = "Running" }
at = "42s"

[[ask]]
id = "first"
at = "12s"
question = "What comes first?"
choices = [{ text = "TERM", comes = { machine = "stop", target = "term" } }, { text = "Neither", why = "No." }]

[[ask]]
id = "when"
at = "12s"
question = "When?"
within = "90s"
place = { machine = "stop", target = "term" }
tolerance = "3s"

[[hint]]
text = "Look."
check = "gone"
when = { machine = "stop" }
unless = { machine = "stop", target = "killed" }

[[solution]]
name = "grace seventy"
expect = "pass"
why = "It is enough."
acts = [{ at = "10s", do = "delete_pod", target = "default/shop", grace_s = 70 }]

[[solution]]
name = "the default"
expect = "fail"
fails = ["gone"]
acts = [{ at = "10s", do = "delete_pod", target = "default/shop" }]

[[solution]]
name = "nothing"
expect = "fail"
"""
