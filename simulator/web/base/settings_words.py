"""Describe the settings of a Kubernetes version in the reader's language, for the version lens and the fidelity page.

The engine's profiles have codes and English notes. The notes are collected for translation (``outside_texts.py``); the codes are described
here. Kubernetes' own texts, such as the message of an Event, are the same in every language.
"""

from django.utils.translation import gettext
from django.utils.translation import gettext_noop as _

from simulator.engine.versions import BARE_GATES, FIELDS, about

CODE_WORDS: dict[str, str] = {
    "yes": _("yes"),
    "no": _("no"),
    "newest": _("newest"),
    "none": _("nowhere"),
    "field": _("field"),
    "conditions": _("conditions"),
    "when_deleted": _("when deleted"),
    "always": _("always"),
    "with_error": _("with error"),
    "with_message": _("with message"),
    "plain": _("plain"),
    "init_done": _("init containers done"),
    "app_created": _("app container created"),
    "limit": _("limit"),
    "span": _("between request and limit"),
    "configured": _("as configured"),
    "capped": _("capped"),
    "all": _("all"),
    "plugins": _("by plugin"),
    "hints": _("by hint"),
    "by_rounds": _("by rounds"),
    "by_queue": _("by work queue"),
    "by_end": _("by when the pod ended"),
    "by_condition": _("by condition"),
    "waiting": _("with waiting"),
    "waiting_size": _("with waiting and size"),
    "short": _("short"),
    "named": _("with names"),
    "full": _("full"),
    "threshold": _("with threshold"),
}
"""The meanings of codes in profiles."""


def version_notes() -> tuple[str, ...]:
    """The notes of all fields, and of all gates without a field, without duplicates, in English."""
    return tuple(dict.fromkeys(about(name).note for name in (*FIELDS, *BARE_GATES)))


def note_text(note: str) -> str:
    """A note of ``about`` in the reader's language."""
    return gettext(note)


def value_text(value: str) -> str:
    """A value from the lens in the reader's language; numbers and Kubernetes' own texts are unchanged."""
    return gettext(CODE_WORDS[value]) if value in CODE_WORDS else value
