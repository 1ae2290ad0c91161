"""All numbers that decide who waits for whom, with their units and reasons. docs/turns.md explains
the policies that use them.

What an operator may choose is a setting (``RUNS_PER_PROCESS``, ``WORKERS`` …) in
lifecycle_site/settings.py. The values here depend on each other: for example, a half-life defines
how long "recently" is, and the thresholds for heavy use are amounts within that time. After a
change, run ``manage.py bench siege`` and ``bench load``, which show how long others wait.

Names end in their unit: ``_S`` seconds, ``_MS`` milliseconds of simulated time, ``_NICE``
priorities as in nice(1). ``RUN_`` is the computing time of runners, ``SLOT_`` that of requests. This
module imports nothing, because the HTTP layer reads it before Django is set up.
"""

# ---- places: which runs are driven (places.py) -----------------------------------------------------------------------
STALE_S = 25
"""A page reports every 15 seconds that it is open. A run without a report for this long counts as unwatched, and loses its place to one
that is watched."""
PUPIL_AWAY_S = 90
"""A pupil whose page has not reported for this long is away: pages report twice a minute."""
PUPILS_APART_MS = 12
"""When a class is started, the pupils' pages open at this interval, so that fifty open within a second: about as fast as two cores can
serve them. ``manage.py bench class`` measures how long they wait for their first frame."""

# ---- evenness: which runner takes a waiting run (evenness.py) ------------------------------------------------------------
EVEN_SLACK = 1
"""A runner that drives more than others takes at most this many runs beyond its share immediately. What it knows about the others is up to
half a second old."""
LEFT_S = 0.4
"""A run that was left to others for this long is taken by any runner. Shorter than the polling interval, so it waits for one poll."""

# ---- turns: which run computes next (fair_turns.py) ------------------------------------------------------------------
SLICE_S = 0.008
"""A run computes for about this long at a time, while other runs wait for their turn."""
PIECE_S = 0.002
"""How often a slice checks the clock, and so how much it can exceed ``SLICE_S``."""
TURN_S_MIN = 0.001
"""Every turn counts for at least this much. Otherwise turns too short to measure would be free, and could go on for ever."""
TURN_S_MAX = 60.0
"""A turn that has lasted this long is considered stuck. Because all runs of the process are waiting for it, the process exits."""
HURRY_TURN = 4
"""Runs that are sent ahead, rebuilt or played fast wait for those that keep pace, but get one turn in this many, so that they progress."""
FAST_PERMILLE = 16_000
"""A clock faster than this, in thousandths of real time, is for skipping ahead, not for watching: the run counts as sent ahead."""
OWNERS_KNOWN_MAX = 1_000
"""Owners whose turns are remembered, to bound memory. A forgotten owner starts even with the others."""

# ---- takers: heavy users and where their runs go (fair_turns.py, separation.py) --------------------------------------------
RUN_HALF_S = 5.0
"""Half-life of the computing time of runs."""
RUN_MUCH_S = 0.5
"""An address that has used this much recently is a taker: steady use of 1/14 of a core. A calm run uses a hundredth of that."""
RUN_LITTLE_S = RUN_MUCH_S / 8
"""A taker remains one until it is down to this, three half-lives later, so that runs do not move back and forth."""
RUN_EASE_S = RUN_MUCH_S / 2
"""From this much on, an address computes in the second thread. Below ``RUN_MUCH_S``, because that does not move any run."""
EASE_TIMES = 2
"""In the second thread an address pauses for this many times the length of its turn, so it uses at most a third of a core."""
HERE_S = 2.0
"""An address that had a turn this recently has runs here. Twice the longest polling interval, so a calm run is never missed."""
FLUSH_S = 0.1
"""Shortest time between two writes of a run: at most ten frames a second reach a browser."""
TAKER_FLUSH_S = 0.5
"""The same for a taker's run: all runs write to one database."""

# ---- slots: which request computes next (slots.py) ---------------------------------------------------------------------
SLOT_HALF_S = 30.0
"""Half-life of the computing time of requests."""
SLOT_MUCH_S = 3.0
"""From this much on, an address yields to others that have used far less, and is told so. A page takes less than a second."""
FAR_LESS = 2
"""Others have used far less if this many times their usage is no more than one's own. So equal users do not yield to each other."""
PRESENT_S = 10.0
"""An address with a request this recent is still present, and others yield to it."""
CELL_S = 0.05
"""What a cell of a sweep takes, about."""
ORDERED_S_MAX = 10.0
"""Up to how much the time that a sweep will take counts at once for whoever has asked for it: enough to yield for a minute or so."""
BESIDE_S = 2.0
"""An address leaves half of the slots free for others that have asked this recently. A class behind one address has more beside somebody
who turns a page now and then."""
SLOT_LEAST_S = 0.01
"""Every request counts for at least this much, so that visitors with small requests take turns too."""
SLOT_LEAD_S_MAX = 2.5
"""An address waits at most this much longer because of what it has used, and each of its browsers as long again: 5 s in total, which is
less than ``SLOT_PATIENCE_S``."""
SLOT_PATIENCE_S = 8.0
"""A request that has waited this long is refused. A reader has given up by then; a page that polls tries again."""
RETRY_AFTER_S = 5
"""The value of Retry-After in a refusal."""
NAMES_KNOWN_MAX = 2_000
"""Addresses and browsers whose computing time is remembered. Beyond that, the half that used least is forgotten."""
COMPUTING_WAITING_MAX, COMPUTING_EACH_MAX, COMPUTING_BROWSER_MAX = 80, 60, 20
"""Requests that may wait for a computing slot: in total, per address (a class shares one), per browser."""
READING_SIZE, READING_WAITING_MAX, READING_EACH_MAX, READING_ASIDE_MAX = 4, 80, 40, 1
"""Slots for views that only read: their number, the requests that may wait for them in total and per address, and the slots of an address
that yields to others, only one because these views run in the web process."""

# ---- work: how much one request may play (allowance.py) ----------------------------------------------------------------
WORK_MAX = 70_000
"""Units of work (engine/world/work.py) per request: 0.5 to 1.5 s of one core."""
RESERVE = 30_000
"""Additional units that a page may play to show at least what is in the log: about 2 s in total."""
ASK_AGAIN_S = 3
"""How often a page polls while its moment is not played yet. Longer than a request plays, so that others get the core in between."""

# ---- threads and floods of the HTTP layer (lifecycle_site/turns.py, throttle.py) ---------------------------------------
THREADS_MAX = 96
"""Requests that may have a thread at once, three quarters of them for one address (which could have 60 waiting to compute and 40 to read).
A process with little memory has fewer (lifecycle_site/memory.py), but always more than one browser can have waiting."""
SWITCH_S = 0.001
"""The interpreter's switch interval. The event loop needs the GIL about twenty times per request, and waits this long each time. With
Python's default of 5 ms, all responses take twice as long while something is being computed."""
LATE_S, LATE_EVERY_S, LATE_S_MAX = 1.0, 0.1, 6.0
"""Delay of a refusal for too many requests, which slows a flood down; the shortest time between two for one visitor, which spreads it; and
the longest delay that this leads to."""
BURST_S = 15
"""This many seconds' worth of requests may come at once: a whole class behind one address presses Start."""
ADDRESSES_MAX = 10_000
"""Visitors whose token buckets are remembered; buckets that are full again are dropped first."""

# ---- priorities: who gets the cores (nice; the web process itself has 0) -----------------------------------------------
PAGE_NICE = 1
"""Pages that compute. The web process, which everyone shares, takes precedence."""
RUNNER_NICE = 5
"""Runs. They can slow down and report it; a page cannot."""
ASIDE_PAGE_NICE = 10
"""What an address that yields to others has computed, pages and answers of an API: a tenth of a contended core (headless/priorities.py).
Not only what others leave, as for cells of sweeps: while runs want all cores, no page would be ready before it is given up."""
ASIDE_RUN_NICE = 15
"""Runs of the runner set aside for takers: lower than anything that others wait for."""
