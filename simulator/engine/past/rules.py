"""The rules of imported pods: what the text dates, and how the rest was worked out."""

from simulator.engine.kernel.rule_text import RuleText, gettext_noop

_OURS = "the imported status and events"

RULES = (
    RuleText("IMPORT-RECORDED", gettext_noop("Recorded: the imported text dates it ({origin})."), _OURS, sure="recording"),
    RuleText(
        "IMPORT-FOLLOWS",
        gettext_noop("Inferred: the imported text does not date it; it goes with something that it does date ({origin})."),
        _OURS,
        sure="assumed",
    ),
    RuleText(
        "IMPORT-RESTARTS",
        gettext_noop("Inferred: the imported text only counts restarts ({origin}); they were spread by the back-off rule."),
        _OURS,
        sure="assumed",
    ),
    RuleText(
        "IMPORT-SPREAD",
        gettext_noop("Inferred: the imported text has only a count with a first and a last time ({origin}); the rest was spread evenly."),
        _OURS,
        sure="assumed",
    ),
    RuleText(
        "IMPORT-STATE",
        gettext_noop("Inferred: the imported text shows it at the moment of import, not when it began ({origin})."),
        _OURS,
        sure="assumed",
    ),
    RuleText("IMPORT-READ", gettext_noop("Read, not simulated: the imported text says so ({origin})."), _OURS, sure="recording"),
    RuleText(
        "IMPORT-RESUMED",
        gettext_noop("Imported here: what is before comes from the text, what follows is simulated."),
        _OURS,
    ),
    RuleText("IMPORT-ASSUMED", gettext_noop("Assumed about what the container does from here on: {text}"), "our choice", sure="assumed"),
    RuleText(
        "IMPORT-PAST",
        gettext_noop("This moment lies before the import: it has happened elsewhere and cannot be changed. Act from the import on."),
        "our choice",
    ),
)
