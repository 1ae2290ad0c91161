"""``kubectl get -w``: rows as time passes."""

from simulator.headless.session import Session
from simulator.kubectl.kubectl import kubectl
from tests.engine.worlds import container, header, pod, run

ENDS = "sleep 8; exit 0"


def session() -> Session:
    """A pod that ends after eight seconds."""
    world, records = run(header(pod(container(ENDS), restartPolicy="Never")), 4)
    return Session(world, records, now_ms=4_000)


def test_rows_follow_as_long_as_the_request_may_take():
    shown = session().ask("get pods -w --request-timeout=20s").splitlines()
    assert list(dict.fromkeys(" ".join(line.split()[1:3]) for line in shown[1:])) == ["1/1 Running", "0/1 Completed"]


def test_events_stand_in_front_and_columns_keep_their_width():
    shown = session().ask("get pods --watch-only --output-watch-events --request-timeout=20s").splitlines()
    assert shown[0].startswith("EVENT      NAME") and shown[1].startswith("MODIFIED   p ")


def test_a_watch_that_nothing_ends_shows_the_moment():
    assert session().ask("get pods -w --output-watch-events").splitlines()[1].startswith("ADDED   p ")


def test_a_pod_that_is_not_there_yet_is_waited_for_since_1_34():
    worlds = [run(header(pod(container()), kubernetes=minor), 1)[0] for minor in ("1.33", "1.34")]
    said = [kubectl(world, "get pod wp -w --ignore-not-found") for world in worlds]
    assert said == ['Error from server (NotFound): pods "wp" not found\n', ""]


def test_a_watch_of_what_is_not_there_or_of_several_is_refused_in_its_own_words():
    assert session().ask("get pod wp -w --request-timeout=20s") == 'Error from server (NotFound): pods "wp" not found\n'
    assert "you may only watch a single resource" in session().ask("get pods,services -w --request-timeout=20s")
