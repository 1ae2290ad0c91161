"""The rules of imported pods: what the text dates, and how the rest was inferred."""

from simulator.engine.kernel.rule_text import RuleText, gettext_noop

_OURS = "the imported status and events"

RULES = (
    RuleText("IMPORT-RECORDED", gettext_noop("Recorded: the imported text gives its time ({origin})."), _OURS, sure="recording"),
    RuleText(
        "IMPORT-FOLLOWS",
        gettext_noop("Inferred: the imported text does not give its time; it belongs to something whose time is given ({origin})."),
        _OURS,
        sure="assumed",
    ),
    RuleText(
        "IMPORT-RESTARTS",
        gettext_noop("Inferred: the imported text only counts restarts ({origin}); they were spread according to the back-off rule."),
        _OURS,
        sure="assumed",
    ),
    RuleText(
        "IMPORT-SPREAD",
        gettext_noop("Inferred: the imported text only has a count with a first and a last time ({origin}); the rest was spread evenly."),
        _OURS,
        sure="assumed",
    ),
    RuleText(
        "IMPORT-STATE",
        gettext_noop("Inferred: the imported text shows it at the time of import, not when it began ({origin})."),
        _OURS,
        sure="assumed",
    ),
    RuleText("IMPORT-READ", gettext_noop("Read, not simulated: the imported text says so ({origin})."), _OURS, sure="recording"),
    RuleText(
        "IMPORT-RESUMED",
        gettext_noop("Imported here: everything before comes from the text, everything after is simulated."),
        _OURS,
    ),
    RuleText("IMPORT-ASSUMED", gettext_noop("Assumed container behaviour from here on: {text}"), "our choice", sure="assumed"),
    RuleText(
        "IMPORT-PAST",
        gettext_noop("This moment is before the import: it happened elsewhere and cannot be changed. Act from the import onwards."),
        "our choice",
    ),
)
