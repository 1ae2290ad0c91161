"""The settings of a Kubernetes version in words: what the version lens and the fidelity page say of them, in the reader's language.

The engine's profiles hold codes and English notes. The notes are collected for the translators (``outside_texts.py``); the codes have
their words here. Texts of Kubernetes, such as the message of an Event, stay as they are in every language.
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
"""What a code of a profile means, in words."""


def version_notes() -> tuple[str, ...]:
    """The note of every field and of every gate without one, each once, in English."""
    return tuple(dict.fromkeys(about(name).note for name in (*FIELDS, *BARE_GATES)))


def note_text(note: str) -> str:
    """A note of ``about`` in the reader's language."""
    return gettext(note)


def value_text(value: str) -> str:
    """A value as the lens gives it, in the reader's language; a number or a text of Kubernetes comes back as it is."""
    return gettext(CODE_WORDS[value]) if value in CODE_WORDS else value
