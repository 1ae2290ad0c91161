"""What happened, in one line for any record; the text of commands comes from their acts."""

from simulator.engine.acts import all_acts
from simulator.engine.acts.act import headline_of
from simulator.engine.kernel.records import Record
from simulator.engine.kernel.rule_text import gettext_noop
from simulator.engine.projection import headlines
from simulator.engine.projection.text import Text, missing, needed

_REFUSED = gettext_noop("Your command was refused")
_COMMAND = gettext_noop("You entered a command")


def headline(record: Record) -> Text | None:
    """What the record says happened; None if it has no headline of its own. Records of commands always have one."""
    if record.machine != "command":
        return headlines.headline(record)
    values = headlines.given_values(record)
    values = {"pod": values["pods"], **values} if "pods" in values else values
    act = all_acts.ACTS.named(str(values.get("do")))
    # A record of an older version may lack a value that today's headline uses; then the plain one.
    usual = _REFUSED if record.target != "accepted" else headline_of(act, values) if act is not None else ""
    return needed(usual if usual and not missing(usual, values) else _COMMAND, values)
