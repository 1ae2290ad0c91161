"""Pages for staff. Runs and shared scenarios are read-only there: their truth is header and commands, and links never change."""

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from simulator.models import KeptProgress, Run, RunCommand, Scenario, SharedScenario, SweepAsk
from simulator.runs.services.sweeps import asks_forget

admin.site.site_header = _("Podscope administration")
admin.site.site_title = _("Podscope")


@admin.register(Scenario)
class ScenarioAdmin(admin.ModelAdmin):  # type: ignore[type-arg]  # the stubs want a parameter that Django lacks at run time
    """Stories. Built-in ones are rewritten by ``load_scenarios``; copy one to change it."""

    list_display = ("title", "slug", "level", "order", "is_builtin")
    list_filter = ("is_builtin", "level")
    search_fields = ("title", "summary", "slug")
    prepopulated_fields = {"slug": ("title",)}

    def has_change_permission(self, request: HttpRequest, obj: Scenario | None = None) -> bool:
        """Built-in stories come from files."""
        return super().has_change_permission(request, obj) and not (obj and obj.is_builtin)


class ReadOnlyAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    """Shows and searches; never adds or changes."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Nothing is added by hand."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: object | None = None) -> bool:
        """Nothing is changed by hand."""
        return False


class CommandInline(admin.TabularInline):  # type: ignore[type-arg]
    """The commands of a run."""

    model = RunCommand
    fields = ("n", "body", "at_ms", "outcome", "received_at")
    readonly_fields = fields
    extra = 0
    can_delete = False

    def has_add_permission(self, request: HttpRequest, obj: object | None = None) -> bool:
        """Commands come from the run page."""
        return False


@admin.register(Run)
class RunAdmin(ReadOnlyAdmin):
    """Runs with state and head; deleting one removes its records and commands."""

    list_display = ("title", "state", "head_ms", "head_seq", "is_frozen", "created_at")
    list_filter = ("state", "is_frozen")
    search_fields = ("title", "id")
    exclude = ("header_body", "head_digest", "owner_hash", "address_hash")
    inlines = (CommandInline,)


@admin.register(SharedScenario)
class SharedScenarioAdmin(ReadOnlyAdmin):
    """Links. They are never removed."""

    list_display = ("id", "title", "parent", "created_at")
    search_fields = ("id", "title")

    def has_delete_permission(self, request: HttpRequest, obj: object | None = None) -> bool:
        """A link that was given away must go on working."""
        return False


@admin.register(KeptProgress)
class KeptProgressAdmin(ReadOnlyAdmin):
    """Progress of learners, which tells nobody whose it is; it may be deleted."""

    list_display = ("__str__", "created_at", "changed_at")
    exclude = ("body", "address_hash")


@admin.register(SweepAsk)
class SweepAskAdmin(ReadOnlyAdmin):
    """Sweeps as visitors asked for them; with the last ask of a sweep go its cells, and it is worked out again when it is asked for."""

    list_display = ("title", "state", "done", "size", "created_at")
    list_filter = ("work__state",)
    list_select_related = ("work",)
    search_fields = ("id", "title", "work__id")
    exclude = ("owner_hash", "address_hash")

    def done(self, ask: SweepAsk) -> int:
        """How many cells are there."""
        return ask.work.done

    def size(self, ask: SweepAsk) -> int:
        """How many cells it has."""
        return ask.work.size

    def delete_model(self, request: HttpRequest, obj: SweepAsk) -> None:
        """As for many."""
        asks_forget(SweepAsk.objects.filter(id=obj.id))

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[SweepAsk]) -> None:
        """With what was worked out for these alone."""
        asks_forget(SweepAsk.objects.filter(id__in=list(queryset.values_list("id", flat=True))))
