"""The database models. A run's header and commands are the truth; records and milestones follow from them and are stored for reading."""

import uuid
from typing import Any, ClassVar

from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from simulator.engine.acts.all_acts import COMMAND, AnyCommand
from simulator.engine.course.header import HEADER, RunHeader
from simulator.engine.kernel.typed import Typed
from simulator.headless.replays import HEADS, VERDICTS, Head, ReplayVerdict
from simulator.headless.sweeps.sweep import CELLS, SWEEP, Sweep, SweepCell
from simulator.runs.log import columns
from simulator.runs.log.content import SOURCE, Content, decode, decode_content
from simulator.runs.state_notes import StateNote
from simulator.runs.turns.places import Wait


class Scenario(models.Model):
    """A story in the gallery: a starting point and the text that introduces it. ``body`` is the canonical JSON of a Content."""

    slug = columns.SlugField(_("slug"), unique=True)
    title = columns.ProseField(_("title"), max_length=120)
    summary = columns.ProseField(_("summary"), max_length=300, blank=True)
    story = columns.TextField(_("story"), blank=True)
    what_to_try = columns.TextField(_("what to try"), blank=True)
    what_to_watch = columns.TextField(_("what to watch for"), blank=True)
    docs_url = columns.URLField(_("documentation"), blank=True)
    tags = models.JSONField(_("tags"), default=list, blank=True)
    level = columns.CharField(_("level"), max_length=20, blank=True)
    minutes = models.PositiveSmallIntegerField(_("minutes"), default=5)
    order = models.PositiveSmallIntegerField(_("order"), default=100)
    is_builtin = models.BooleanField(_("built in"), default=False)
    body = columns.TextField(_("content"))

    class Meta:
        ordering = ("order", "title")
        verbose_name = _("scenario")
        verbose_name_plural = _("scenarios")

    def __str__(self) -> str:
        return self.title

    def content(self) -> Content:
        """The decoded body."""
        return decode_content(self.body)

    @property
    def kubernetes(self) -> str:
        """The Kubernetes version the story plays on."""
        return self.content().header.kubernetes


class SharedScenario(models.Model):
    """The content behind a share link, never changed and never deleted. The id is derived from content, title, parent and scenario.

    The one exception is ``link_mend``, which puts back an act that the link shows but its content lacks.
    """

    id = columns.CharField(primary_key=True, max_length=52, editable=False)
    title = columns.ProseField(_("title"), max_length=120)
    body = columns.TextField(_("content"))
    parent = models.ForeignKey("self", models.PROTECT, null=True, blank=True, related_name="children")
    scenario = models.ForeignKey(Scenario, models.SET_NULL, null=True, blank=True, related_name="shares")
    run = models.ForeignKey("Run", models.SET_NULL, null=True, blank=True, related_name="shares")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("-created_at",)
        verbose_name = _("shared scenario")
        verbose_name_plural = _("shared scenarios")

    def __str__(self) -> str:
        return f"{self.id} {self.title}"

    def content(self) -> Content:
        """The decoded body."""
        return decode_content(self.body)


class SharedLevel(models.Model):
    """A level written on this site, or a course made of links. Its id is derived from its text; it is never changed and never deleted.

    ``body`` is TOML. The body of a level contains its solutions, so only the browser that shared it gets to see it: ``owner_hash`` is the
    hash of that browser's key. ``problems`` lists, one per line, what the trial found if the level was shared anyway.
    """

    class Kind(models.TextChoices):
        """What ``body`` describes."""

        LEVEL = "level", _("level")
        COURSE = "course", _("course")

    id = columns.CharField(primary_key=True, max_length=52, editable=False)
    title = columns.ProseField(_("title"), max_length=120)
    body = columns.TextField(_("content"))
    kind = columns.CharField(max_length=10, choices=Kind, default=Kind.LEVEL)
    address_hash = columns.CharField(max_length=64, blank=True)
    owner_hash = columns.CharField(max_length=64, blank=True, default="")
    problems = columns.TextField(blank=True, default="")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("-created_at",)
        verbose_name = _("level")
        verbose_name_plural = _("levels")

    def __str__(self) -> str:
        return self.title


class Run(models.Model):
    """One simulated cluster and its clock. One process owns it at a time: ``owner`` until ``lease_until``, fenced by ``epoch``.

    While the clock plays, it shows ``base_ms`` plus the wall time since ``base_at``, times ``rate_permille``; while it is paused, it shows
    ``base_ms``. The owner computes the world up to that moment as fast as it can; ``head_ms`` is how far the log has got.
    While no owner drives the run (see ``driven_at``), because nobody is watching or because the owner was lost, its clock stands at
    ``stands_ms``, the time it showed at the last sign of life. ``take_overs`` counts how many owners in a row were lost without making any
    progress. ``wanted_at`` is when the current uninterrupted stretch of watching began. ``idle_as_of`` is the value of ``controls`` at
    which the owner found nothing left to do until somebody acts or moves the clock; if the run is not paused at that point, its clock
    rests until the next act.
    ``state_note`` says why the run ended: a code with its numbers (``state_notes.py``).
    ``revision`` is the engine revision that produced the records. ``level`` is the level that the run is an attempt at: the name of a
    built-in level, or ``~`` followed by the id of a SharedLevel; empty for most runs.
    """

    wait: Wait | None = None
    """Why nobody drives the run. Set only by queries that ask for it."""

    class State(models.TextChoices):
        """The state of a run. Only a live run goes on."""

        LIVE = "live", _("live")
        LIMIT = "limit", _("limit met")
        DIVERGED = "diverged", _("diverged")
        RECORDED = "recorded", _("recorded by another revision")
        FAILED = "failed", _("failed")
        STOPPED = "stopped", _("stopped")

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    title = columns.ProseField(_("title"), max_length=120)
    scenario = models.ForeignKey(Scenario, models.SET_NULL, null=True, blank=True, related_name="runs")
    share = models.ForeignKey(SharedScenario, models.SET_NULL, null=True, blank=True, related_name="opened_runs")
    parent = models.ForeignKey("self", models.SET_NULL, null=True, blank=True, related_name="branches")
    parent_seq = models.PositiveIntegerField(null=True, blank=True)
    parent_ms = models.BigIntegerField(null=True, blank=True)
    branch_key = columns.CharField(max_length=64, blank=True)
    address_hash = columns.CharField(max_length=64, blank=True)
    header_body = models.BinaryField()
    source_body = columns.TextField(default="{}")
    revision = models.PositiveIntegerField()
    owner_hash = columns.CharField(max_length=64, blank=True)
    is_frozen = models.BooleanField(default=False)
    level = columns.CharField(max_length=60, blank=True, default="")
    created_at = models.DateTimeField(auto_now_add=True)

    state = columns.CharField(max_length=10, choices=State.choices, default=State.LIVE)
    state_note = models.JSONField(default=dict, blank=True)

    is_paused = models.BooleanField(default=False)
    rate_permille = models.PositiveIntegerField(default=1000)
    base_ms = models.BigIntegerField(default=0)
    base_at = models.DateTimeField(default=timezone.now)
    steps_asked = models.PositiveIntegerField(default=0)
    steps_done = models.PositiveIntegerField(default=0)
    controls = models.PositiveIntegerField(default=0)
    idle_as_of = models.PositiveIntegerField(null=True, blank=True)
    viewers_seen_at = models.DateTimeField(null=True, blank=True)
    wanted_at = models.DateTimeField(null=True, blank=True)
    driven_at = models.DateTimeField(null=True, blank=True)
    stands_ms = models.BigIntegerField(null=True, blank=True)

    owner = columns.CharField(max_length=80, blank=True)
    epoch = models.PositiveIntegerField(default=0)
    lease_until = models.DateTimeField(null=True, blank=True)
    take_overs = models.PositiveSmallIntegerField(default=0)
    head_seq = models.PositiveIntegerField(default=0)
    head_ms = models.BigIntegerField(default=0)
    head_digest = models.BinaryField(default=b"")

    class Meta:
        ordering = ("-created_at",)
        verbose_name = _("run")
        verbose_name_plural = _("runs")
        indexes = [
            models.Index(fields=["viewers_seen_at"], name="run_watched", condition=models.Q(state="live")),
            models.Index(fields=["owner_hash", "-created_at"], name="run_owned"),
        ]
        constraints = [
            models.UniqueConstraint(fields=["parent", "branch_key"], name="run_branch_once", condition=~models.Q(branch_key="")),
        ]

    def __str__(self) -> str:
        return self.title

    def header(self) -> RunHeader:
        """What the run starts from."""
        return decode(bytes(self.header_body), HEADER)

    def content(self) -> Content:
        """Header and sources, without commands."""
        return Content(header=self.header(), source=decode(self.source_body, SOURCE))


class RunCommand(models.Model):
    """A command given to a run. ``at_ms`` is None until its moment is fixed; ``applied_seq`` is the sequence number of its record.

    ``given_ms`` is the time on the clock when the command was given: the run's owner carries it out at that moment, even if the clock has
    been moved since. It is None if the moment was fixed from the beginning, and in rows written by earlier releases. ``typed`` is the
    terminal line that the command came from and ``given_by`` the name of the key it was given with. Both are empty if there is none, and
    neither affects what happens in the run.
    """

    class Outcome(models.TextChoices):
        """What became of a command."""

        PENDING = "pending", _("pending")
        ACCEPTED = "accepted", _("accepted")
        REFUSED = "refused", _("refused")

    run = models.ForeignKey(Run, models.CASCADE, related_name="commands")
    n = models.PositiveIntegerField()
    client_key = columns.CharField(max_length=64)
    body = columns.TextField()
    at_ms = models.BigIntegerField(null=True, blank=True)
    given_ms = models.BigIntegerField(null=True, blank=True)
    applied_seq = models.PositiveIntegerField(null=True, blank=True)
    outcome = columns.CharField(max_length=10, choices=Outcome.choices, default=Outcome.PENDING)
    received_at = models.DateTimeField(auto_now_add=True)
    typed = columns.ProseField(max_length=300, blank=True, default="")
    given_by = columns.ProseField(max_length=80, blank=True, default="")

    class Meta:
        ordering = ("run", "n")
        constraints = [
            models.UniqueConstraint(fields=["run", "n"], name="command_number"),
            models.UniqueConstraint(fields=["run", "client_key"], name="command_once"),
        ]
        indexes = [models.Index(fields=["run", "n"], name="command_pending", condition=models.Q(outcome="pending"))]

    def __str__(self) -> str:
        return f"{self.n} {self.body}"

    def command(self) -> AnyCommand:
        """The decoded body."""
        return decode(self.body, COMMAND)


class DoorKey(models.Model):
    """A key to a run's Kubernetes API, which kubectl and other clients send as part of the URL. Only its hash is stored.

    Only keys made by the run's owner have ``can_write``. A revoked key no longer opens anything. ``label`` is the name given to the key.
    """

    run = models.ForeignKey(Run, models.CASCADE, related_name="door_keys")
    can_write = models.BooleanField(default=False)
    token_hash = columns.CharField(max_length=64, unique=True)
    label = columns.ProseField(max_length=40, blank=True, default="")
    created_at = models.DateTimeField(auto_now_add=True)
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("run", "id")
        verbose_name = _("API key")
        verbose_name_plural = _("API keys")

    def __str__(self) -> str:
        return f"{self.run_id} {'write' if self.can_write else 'read'}"


class RecordChunk(models.Model):
    """Consecutive records of a run (MessagePack, deflated). Written once, never changed; only ``storage`` touches it."""

    run = models.ForeignKey(Run, models.CASCADE, related_name="chunks")
    first_seq = models.PositiveIntegerField()
    last_seq = models.PositiveIntegerField()
    first_ms = models.BigIntegerField()
    last_ms = models.BigIntegerField()
    count = models.PositiveIntegerField()
    epoch = models.PositiveIntegerField()
    body = models.BinaryField()

    class Meta:
        ordering = ("run", "first_seq")
        constraints = [models.UniqueConstraint(fields=["run", "first_seq"], name="chunk_place")]
        indexes = [models.Index(fields=["run", "last_seq"], name="chunk_end")]

    def __str__(self) -> str:
        return f"{self.run_id} {self.first_seq}-{self.last_seq}"


class Milestone(models.Model):
    """A record worth listing without reading chunks: phase changes, Kubernetes Events, commands. May be rebuilt at any time."""

    run = models.ForeignKey(Run, models.CASCADE, related_name="milestones")
    seq = models.PositiveIntegerField()
    at_ms = models.BigIntegerField()
    kind = columns.ProseField(max_length=12)
    machine = columns.ProseField(max_length=40)
    subject = columns.ProseField(max_length=600)
    target = columns.ProseField(max_length=200)

    class Meta:
        ordering = ("run", "seq")
        constraints = [models.UniqueConstraint(fields=["run", "seq"], name="milestone_place")]

    def __str__(self) -> str:
        return f"{self.seq} {self.subject} {self.target}"


class LevelAttempt(models.Model):
    """The result of checking a run that is an attempt at a level.

    ``acts`` and ``hints`` count how many were used; ``points`` out of ``points_max`` is the score; ``failed`` is the id of the check that
    failed first (empty if none did) and ``at_ms`` when it failed. ``results_body`` holds the checks as JSON: id, verdict, and the subject
    of the record that decided it.
    """

    run = models.ForeignKey(Run, models.CASCADE, related_name="attempts")
    level = columns.CharField(max_length=60)
    passed = models.BooleanField(default=False)
    failed = columns.CharField(max_length=40, blank=True)
    at_ms = models.BigIntegerField(null=True, blank=True)
    acts = models.PositiveIntegerField(default=0)
    hints = models.PositiveIntegerField(default=0)
    points = models.PositiveIntegerField(default=0)
    points_max = models.PositiveIntegerField(default=0)
    results_body = columns.TextField(default="{}")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("created_at", "id")
        verbose_name = _("attempt at a level")
        verbose_name_plural = _("attempts at levels")

    def __str__(self) -> str:
        return f"{self.level} {self.run_id}"


class KeptProgress(models.Model):
    """A learner's progress, kept under a nickname and a phrase: ``id`` is a slow hash of the two, and neither is stored.

    ``body`` is the JSON of a Progress (``runs/services/progress_document.py``); ``changed_at`` is when it was last requested.
    """

    id = columns.CharField(primary_key=True, max_length=52, editable=False)
    body = columns.TextField(default="{}")
    address_hash = columns.CharField(max_length=64, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    changed_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ("-changed_at",)
        verbose_name = _("progress of a learner")
        verbose_name_plural = _("progress of learners")
        indexes = [
            models.Index(fields=["changed_at"], name="progress_changed"),
            models.Index(fields=["address_hash", "created_at"], name="progress_address"),
        ]

    def __str__(self) -> str:
        return self.id[:8]


class Classroom(models.Model):
    """A class that follows what its teacher looks at. ``id`` is the code that people type; a browser leads one class at a time.

    ``path`` is the address of the run or link page that the teacher is on, empty if there is none, and ``query`` the moment and the view
    on that page, without ``t`` if it is the newest moment. ``is_led`` says whether the class follows automatically, ``calls`` counts how
    often everybody was called together, and ``turn`` grows with every change. ``starts`` is the number of the newest ClassStart,
    ``is_apart`` says whether the pupils are working in their own runs of it, and ``news`` grows when pupils' pages have to ask for updates.
    """

    id = columns.CharField(primary_key=True, max_length=12, editable=False)
    owner_hash = columns.CharField(max_length=64, unique=True)
    address_hash = columns.CharField(max_length=64, blank=True)
    path = columns.CharField(max_length=120, blank=True)
    query = columns.CharField(max_length=2000, blank=True)
    is_led = models.BooleanField(default=True)
    calls = models.PositiveIntegerField(default=0)
    turn = models.PositiveIntegerField(default=0)
    starts = models.PositiveIntegerField(default=0)
    is_apart = models.BooleanField(default=False)
    news = models.PositiveIntegerField(default=0)
    created_at = models.DateTimeField(auto_now_add=True)
    changed_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ("-created_at",)
        verbose_name = _("class")
        verbose_name_plural = _("classes")
        indexes = [models.Index(fields=["changed_at"], name="class_changed"), models.Index(fields=["address_hash"], name="class_address")]

    def __str__(self) -> str:
        return self.id


class ClassStart(models.Model):
    """Where a teacher sent everybody: ``run`` as it was at ``at_ms``, or the level with that key. ``n`` counts the starts of a class."""

    room = models.ForeignKey(Classroom, models.CASCADE, related_name="sent")
    n = models.PositiveIntegerField()
    run = models.ForeignKey(Run, models.SET_NULL, null=True, blank=True, related_name="class_starts")
    at_ms = models.BigIntegerField(null=True, blank=True)
    level = columns.CharField(max_length=60, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("room", "n")
        constraints = [models.UniqueConstraint(fields=["room", "n"], name="class_start_number")]

    def __str__(self) -> str:
        return f"{self.room_id} {self.n}"


class ClassMember(models.Model):
    """A pupil in a class: a browser, and the name its user chose, which only the teacher sees.

    ``run`` is the pupil's own run and ``start_n`` the number of the ClassStart it was made for. ``address_hash`` is the hash of the address
    that the pupil joined from; runs that are made for the pupil count against it.
    """

    room = models.ForeignKey(Classroom, models.CASCADE, related_name="members")
    owner_hash = columns.CharField(max_length=64)
    address_hash = columns.CharField(max_length=64, blank=True, default="")
    name = columns.ProseField(max_length=40)
    run = models.ForeignKey(Run, models.SET_NULL, null=True, blank=True, related_name="class_members")
    start_n = models.PositiveIntegerField(default=0)
    hand_at = models.DateTimeField(null=True, blank=True)
    joined_at = models.DateTimeField(auto_now_add=True)
    seen_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ("name", "id")
        constraints = [models.UniqueConstraint(fields=["room", "owner_hash"], name="class_member_once")]

    def __str__(self) -> str:
        return self.name


class ClassAsk(models.Model):
    """A prediction that a teacher asked everybody to make. ``round`` is 1, or 2 if the class votes again after discussing it.

    While it ``is_open``, only the teacher sees the counts and which choice is ``right`` (its number; None if no choice is). ``is_over``
    removes it from the pupils' pages.
    """

    room = models.ForeignKey(Classroom, models.CASCADE, related_name="asks")
    question = columns.ProseField(max_length=300)
    choices = models.JSONField(default=list)
    right = models.PositiveSmallIntegerField(null=True, blank=True)
    round = models.PositiveSmallIntegerField(default=1)
    is_open = models.BooleanField(default=True)
    is_over = models.BooleanField(default=False)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("room", "id")

    def __str__(self) -> str:
        return self.question


class ClassVote(models.Model):
    """A pupil's choice in one round of a ClassAsk, numbered from 0."""

    ask = models.ForeignKey(ClassAsk, models.CASCADE, related_name="votes")
    member = models.ForeignKey(ClassMember, models.CASCADE, related_name="votes")
    round = models.PositiveSmallIntegerField()
    choice = models.PositiveSmallIntegerField()

    class Meta:
        ordering = ("ask", "round", "id")
        constraints = [models.UniqueConstraint(fields=["ask", "member", "round"], name="class_vote_once")]

    def __str__(self) -> str:
        return f"{self.ask_id} {self.round} {self.choice}"


class StoredJob(models.Model):
    """Long-running work in numbered parts. The id is a digest of everything that the results depend on, so no work is done twice.

    Everybody who asks for the same work shares the row, so it names none of them.

    ``results_body`` is the JSON list of results by number, null for those still missing; ``state_note`` says why the job ended without some
    of them, as a code (``state_notes.py``). One process works on the job at a time: ``owner`` until ``lease_until``. ``attempts`` counts
    how often work on it has begun, and ``sent_at`` is when workers were last notified of it.
    """

    class State(models.TextChoices):
        """The state of a job."""

        QUEUED = "queued", _("waiting")
        RUNNING = "running", _("running")
        DONE = "done", _("done")
        STOPPED = "stopped", _("stopped")
        FAILED = "failed", _("failed")

    RESULTS: ClassVar[Typed[Any]]
    """The type of the list of results."""

    id = columns.CharField(primary_key=True, max_length=52, editable=False)
    created_at = models.DateTimeField(auto_now_add=True)

    state = columns.CharField(max_length=10, choices=State.choices, default=State.QUEUED)
    state_note = models.JSONField(default=dict, blank=True)
    size = models.PositiveIntegerField()
    done = models.PositiveIntegerField(default=0)
    results_body = columns.TextField(default="[]")

    owner = columns.CharField(max_length=80, blank=True)
    lease_until = models.DateTimeField(null=True, blank=True)
    attempts = models.PositiveSmallIntegerField(default=0)
    sent_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        abstract = True

    def results(self) -> list[Any | None]:
        """Return the results by number, with None for those still missing. Raises Unreadable."""
        found = decode(self.results_body, self.RESULTS)
        return [*found, *[None] * (self.size - len(found))]

    @property
    def is_open(self) -> bool:
        """Whether the job is waiting or being worked on."""
        return self.state in (self.State.QUEUED, self.State.RUNNING)


class StoredSweep(StoredJob):
    """The work of a sweep, with the cells computed so far. ``body`` is the canonical JSON of a Sweep; the results are its cells.

    Who asked for it, and under what title, is stored in a SweepAsk.
    """

    RESULTS = CELLS

    body = columns.TextField()

    class Meta:
        ordering = ("-created_at",)
        verbose_name = _("work of a sweep")
        verbose_name_plural = _("work of sweeps")
        indexes = [
            models.Index(fields=["created_at"], name="sweep_open", condition=models.Q(state__in=["queued", "running"])),
        ]

    def __str__(self) -> str:
        return self.id

    def sweep(self) -> Sweep:
        """The decoded body."""
        return decode(self.body, SWEEP)

    def cells(self) -> list[SweepCell | None]:
        """The results."""
        return self.results()


class SweepAsk(models.Model):
    """A visitor's request for a sweep: its address, title, texts, and the run or scenario it was made from. The work itself is shared.

    The id is random, so that others who ask for the same sweep cannot find this request. ``is_wanted`` says whether the visitor is still
    waiting for missing cells; if not, ``note`` says why, as a code (``state_notes.py``), and the visitor sees the cells there are.
    """

    id = columns.CharField(primary_key=True, max_length=52, editable=False)
    work = models.ForeignKey(StoredSweep, models.CASCADE, related_name="asks")
    title = columns.ProseField(_("title"), max_length=120)
    run = models.ForeignKey(Run, models.SET_NULL, null=True, blank=True, related_name="sweeps")
    scenario = models.ForeignKey(Scenario, models.SET_NULL, null=True, blank=True, related_name="sweeps")
    source_body = columns.TextField(default="{}")
    owner_hash = columns.CharField(max_length=64, blank=True)
    address_hash = columns.CharField(max_length=64, blank=True)
    is_wanted = models.BooleanField(default=True)
    note = models.JSONField(default=dict, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    seen_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ("-created_at",)
        verbose_name = _("sweep")
        verbose_name_plural = _("sweeps")
        indexes = [
            models.Index(fields=["owner_hash", "-created_at"], name="ask_owned"),
            models.Index(fields=["seen_at"], name="ask_seen"),
        ]

    def __str__(self) -> str:
        return self.title

    @property
    def state(self) -> StoredJob.State:
        """The state as the visitor sees it: stopped if they no longer wait for missing cells, otherwise that of the work."""
        state = StoredJob.State(self.work.state)
        return state if self.is_wanted or state == StoredJob.State.DONE else StoredJob.State.STOPPED

    @property
    def state_note(self) -> StateNote:
        """The reason for that state; empty if there is nothing to say."""
        if self.is_wanted:
            return self.work.state_note  # type: ignore[no-any-return]
        return {} if self.state == StoredJob.State.DONE else self.note

    @property
    def is_open(self) -> bool:
        """Whether the visitor is waiting for cells."""
        return self.is_wanted and self.work.is_open


class StoredReplay(StoredJob):
    """A replay of all runs, each as far as it was recorded when the replay was requested. A result says whether that run agrees.

    ``body`` is the JSON of the heads of these runs, and ``revision`` the engine revision that replays them.
    """

    RESULTS = VERDICTS

    body = columns.TextField()
    revision = models.PositiveIntegerField()

    class Meta:
        ordering = ("-created_at",)
        verbose_name = _("replay")
        verbose_name_plural = _("replays")

    def __str__(self) -> str:
        return self.id

    def heads(self) -> list[Head]:
        """The runs by number."""
        return decode(self.body, HEADS)

    def verdicts(self) -> list[ReplayVerdict | None]:
        """The results."""
        return self.results()


class Runner(models.Model):
    """A process that keeps runs on their clocks, as of its last heartbeat. Lets ``/healthz`` tell a dead runner from an idle one."""

    name = columns.CharField(primary_key=True, max_length=80)
    beat_at = models.DateTimeField()
    runs = models.PositiveIntegerField(default=0)
    places = models.PositiveIntegerField(default=0)
    takers = models.JSONField(default=list)

    def __str__(self) -> str:
        return self.name
