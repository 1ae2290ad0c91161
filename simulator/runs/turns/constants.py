"""Every figure that decides who waits for whom, with its unit and its reason. docs/turns.md
explains the policies that use them.

What an operator may choose is a setting (``RUNS_PER_PROCESS``, ``WORKERS`` …) and stands in
lifecycle_site/settings.py. What stands here depends on the rest of the table: a half-life, for one,
says how long "lately" is, and the amounts that count as much are amounts within that time. Change
one and run ``manage.py bench siege`` and ``bench load``, which show how long others wait.

Names end in their unit: ``_S`` seconds, ``_MS`` milliseconds of simulated time, ``_NICE``
priorities as of nice(1). ``RUN_`` is computing time of runners, ``SLOT_`` that of requests. This
module imports nothing: the HTTP layer reads it before Django is there.
"""

# ---- places: which runs are driven at all (places.py) ----------------------------------------------------------------
STALE_S = 25
"""A page says every 15 seconds that it is open. A run of which nothing has been said for longer is watched by nobody, and gives its place
to one that is."""
PUPIL_AWAY_S = 90
"""A pupil whose page has not been heard of for so long is away: pages say twice a minute that they are there."""
PUPILS_APART_MS = 15
"""The pages of pupils whose runs a start has made open so long after each other, so that fifty come within a second: about as fast as two
cores serve them. How long they wait for their first frame is told by ``manage.py bench class``."""

# ---- evenness: which runner takes a run that waits (evenness.py) ---------------------------------------------------------
EVEN_SLACK = 1
"""A runner that drives more than others takes so many runs beyond its share at once. It knows of the others what they said up to half a
second ago."""
LEFT_S = 0.4
"""A run that was left to others for so long is taken by anybody. Less than the time between two looks, so it waits for one of them."""

# ---- turns: which run computes next (fair_turns.py) ------------------------------------------------------------------
SLICE_S = 0.008
"""A run computes for about so long at a time. Other runs wait for their turn meanwhile."""
PIECE_S = 0.002
"""After so long a slice looks at the clock, so a slice is at most that much longer than it should be."""
TURN_S_MIN = 0.001
"""A turn counts for at least so much. Turns too short to be measured would otherwise cost nothing, and never end."""
TURN_S_MAX = 60.0
"""A turn that has gone on for so long will not end, and all runs of the process wait for it: the process ends itself."""
HURRY_TURN = 4
"""Runs that are sent ahead, rebuilt or played fast wait for those that keep pace, but one turn in so many is theirs: they too get on."""
FAST_PERMILLE = 16_000
"""A clock faster than this, in thousandths of real time, is there to get on with, not to be watched: the run counts as sent ahead."""
OWNERS_KNOWN_MAX = 1_000
"""Owners whose turns are remembered. Memory is bounded; who is forgotten starts even with the others."""

# ---- takers: who holds others up, and where they go (fair_turns.py, separation.py) -----------------------------------------
RUN_HALF_S = 5.0
"""Computing time of a run that long ago counts half."""
RUN_MUCH_S = 0.5
"""So much within that time makes an address one that takes much: 1/14 of a core, for as long as it goes on. A calm run takes a hundredth
of that."""
RUN_LITTLE_S = RUN_MUCH_S / 8
"""An address that took much counts as such until no more than this is left, three half-lives later: runs do not move back and forth."""
RUN_EASE_S = RUN_MUCH_S / 2
"""From so much on an address computes in the second thread. Before ``RUN_MUCH_S``: that costs nobody a move."""
EASE_TIMES = 2
"""In the second thread an address rests for so many times as long as its turn took, so it has at most a third of a core."""
HERE_S = 2.0
"""An address that had a turn within so long has runs here. Twice the longest time between two looks, so a calm run is never missed."""
FLUSH_S = 0.1
"""A run is written at most so often: at most ten frames a second reach a browser."""
TAKER_FLUSH_S = 0.5
"""A run of an address that takes much is written no more often than this: all runs write to one database."""

# ---- slots: which request computes next (slots.py) ---------------------------------------------------------------------
SLOT_HALF_S = 30.0
"""Computing time of a request that long ago counts half."""
SLOT_MUCH_S = 5.0
"""From so much on an address gives way to others that have had far less, and is told so. A page takes less than a second."""
FAR_LESS = 2
"""Others have had far less if theirs is at most one part in so many. Two who ask for the same do not give way to each other."""
PRESENT_S = 10.0
"""An address that has asked within so long is still there, and others give way to it."""
SLOT_LEAST_S = 0.01
"""A request counts for at least so much, so that those who ask for little take turns too."""
SLOT_LEAD_S_MAX = 2.5
"""An address waits at most so long behind others for what it has had, and a browser of it as long again: 5 s in all, which is within
``SLOT_PATIENCE_S``."""
SLOT_PATIENCE_S = 8.0
"""A request that has waited for so long is refused. A reader has given up by then; a page that asks by itself asks again."""
RETRY_AFTER_S = 5
"""What a refusal says in Retry-After."""
NAMES_KNOWN_MAX = 2_000
"""Addresses and browsers whose computing time is remembered. Beyond that, the half that had least is forgotten."""
COMPUTING_WAITING_MAX, COMPUTING_EACH_MAX, COMPUTING_BROWSER_MAX = 80, 60, 20
"""Requests that may wait for a slot to compute: in all, of one address (a class shares one), of one browser."""
READING_SIZE, READING_WAITING_MAX, READING_EACH_MAX, READING_ASIDE_MAX = 4, 80, 40, 1
"""Slots of views that only read, and who may wait for them. An address that gives way has one: they all work in the web process."""

# ---- work: how much one request may play (allowance.py) ----------------------------------------------------------------
WORK_MAX = 70_000
"""Units of work (engine/world/work.py) of one request: 0.5 to 1.5 s of one core."""
RESERVE = 30_000
"""Units of work that a page may play beyond that, to show at least what the log has: about 2 s in all."""
ASK_AGAIN_S = 3
"""A page of what is not yet played asks again so often. Longer than a request plays, so others have the core meanwhile."""

# ---- threads and floods of the HTTP layer (lifecycle_site/turns.py, throttle.py) ---------------------------------------
THREADS_MAX = 96
"""Requests that may have a thread at once. More than one address can have running and waiting; with 1 MiB of stack each they fit into the
least memory that a process may be given."""
SWITCH_S = 0.001
"""A thread that computes gives way this soon. The loop asks for the interpreter some twenty times a request, and waits that long each
time. With Python's usual 5 ms everyone's answers take twice as long while something is computed."""
LATE_S = 1.0
"""A refusal for asking too often comes this late, so a flood asks no faster."""
BURST_S = 15
"""So many seconds' worth of requests may come at once: a whole class behind one address presses Start."""
ADDRESSES_MAX = 10_000
"""Visitors whose buckets are remembered; those that are full again are forgotten first."""

# ---- priorities: who has the cores (nice; the web process itself has 0) ------------------------------------------------
PAGE_NICE = 1
"""Pages that compute. The web process, which everyone shares, goes before them."""
RUNNER_NICE = 5
"""Runs. They can go slower and say so; a page cannot."""
ASIDE_PAGE_NICE = 10
"""Pages of an address that gives way: a tenth of a core that others want too. Cells of sweeps have the same (headless/sweeps/work.py)."""
ASIDE_RUN_NICE = 15
"""Runs in a runner that stands aside: after all that others wait for."""
