"""The command line of the drawer, by keyboard and by button."""

import re

import pytest
from playwright.sync_api import expect

from tests.e2e.helpers import another_run, control, go_to, standing, start_story, wait_for_run

pytestmark = pytest.mark.e2e


def test_kubectl_is_asked_by_keyboard_and_by_button(visit):
    person = visit()
    start_story(person.page, person.origin, "crash-loop-ladder", stands_at_s=60)
    page = person.page
    page.locator("#timeline").focus()
    page.keyboard.press("k")
    line, answer = page.locator("#kubectl-line"), page.locator("#kubectl-answer")
    expect(line).to_be_focused()
    line.fill("get pods -o name")
    line.press("Enter")
    expect(answer).to_contain_text("pod/")
    page.locator("#kubectl-form button[name=k]", has_text="describe pod").click()
    expect(answer).to_contain_text("QoS Class:")
    line.press("ArrowUp")
    line.press("ArrowUp")
    expect(line).to_have_value("get pods -o name")
    line.fill("get nothing")
    line.press("Enter")
    expect(answer).to_contain_text("the server doesn't have a resource type")
    assert person.troubles == []


def test_click_on_an_answer_leaves_the_field_for_yaml_alone(visit):
    page = standing(visit(), "hello-pod", 5)
    page.locator("#insp-apply > summary").click()
    ask(page, "get pods")
    answer = page.locator("#kubectl-answer")
    expect(answer).to_contain_text("hello")
    answer.click()
    expect(answer).to_be_focused()


def test_object_leads_to_its_description(visit):
    person = visit()
    start_story(person.page, person.origin, "hello-pod", stands_at_s=5)
    page = person.page
    page.locator("#insp-apply > summary").click()
    page.locator("#apply-form textarea").fill("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: words}\ndata: {a: b}\n")
    page.get_by_role("button", name="Create objects").click()
    page.locator("#insp-objects > summary").click()
    page.locator("#insp-objects a[data-ask]").first.click()
    expect(page.locator("#kubectl-answer")).to_contain_text("BinaryData")
    assert person.troubles == []


def test_line_that_acts_is_carried_out_and_answered(visit):
    person = visit()
    start_story(person.page, person.origin, "crash-loop-ladder", stands_at_s=3)
    page = person.page
    node = first_of(page, "node")
    ask(page, f"cordon {node}")
    expect(page.locator("#kubectl-answer")).to_have_text(f"{node} cordoned\n")
    ask(page, "get nodes")
    expect(page.locator("#kubectl-answer")).to_contain_text("SchedulingDisabled")
    ask(page, "delete node none")
    expect(page.locator("#kubectl-answer")).to_contain_text("NotFound")
    assert person.troubles == []


def test_line_entered_while_another_acts_is_next(visit):
    person = visit()
    start_story(person.page, person.origin, "crash-loop-ladder", stands_at_s=3)
    page = person.page
    node = first_of(page, "node")
    held = []
    page.route("**/kubectl/", lambda route: held.append(route))  # noqa: PLW0108 - it cannot take a builtin
    with page.expect_request(lambda request: request.method == "POST" and request.url.endswith("/kubectl/")):
        ask(page, f"cordon {node}")
    ask(page, "get nodes")
    page.locator("#kubectl-line").fill("get po")
    expect(page.locator("#kubectl-answer")).not_to_contain_text("STATUS")
    held[0].continue_()
    expect(page.locator("#kubectl-answer")).to_contain_text("SchedulingDisabled")
    assert person.troubles == []


def test_exec_in_the_tab_runs_and_prints(visit):
    person = visit()
    start_story(person.page, person.origin, "hello-pod", stands_at_s=5)
    page = person.page
    ask(page, f"exec {first_of(page, 'pod')} -- sh -c 'echo a word; exit 3'")
    expect(page.locator("#kubectl-answer")).to_have_text("a word\ncommand terminated with exit code 3\n")
    assert person.troubles == []


def test_pod_that_a_line_runs_is_deleted_at_its_end(visit):
    person = visit()
    start_story(person.page, person.origin, "hello-pod", stands_at_s=5)
    page = person.page
    ask(page, "run probe --image=busybox:1.36 --restart=Never --rm -i -- echo a word")
    control(page, "play")
    expect(page.locator("#kubectl-answer")).to_contain_text('pod "probe" deleted')
    expect(page.locator("#kubectl-answer")).to_contain_text("a word")
    expect(page.locator("#kubectl-line")).to_have_value("run probe --image=busybox:1.36 --restart=Never --rm -i -- echo a word")
    assert person.troubles == []


def test_line_in_the_past_goes_on_in_a_branch(visit):
    person = visit()
    start_story(person.page, person.origin, "hello-pod", stands_at_s=10)
    page = person.page
    node = first_of(page, "node")
    go_to(page, "4")
    with another_run(page):
        ask(page, f"cordon {node}")
    expect(page.locator("#kubectl-line")).to_have_value(f"cordon {node}")
    expect(page.locator("#kubectl-answer")).to_have_text(f"{node} cordoned\n")
    assert person.troubles == []


def test_apply_opens_the_editor(visit):
    person = visit()
    start_story(person.page, person.origin, "hello-pod", stands_at_s=5)
    page = person.page
    ask(page, "apply -f - -n kube-system")
    expect(page.get_by_role("dialog", name="Create objects from YAML in the namespace kube-system")).to_be_visible()
    assert person.troubles == []


def test_link_to_a_line_that_acts_does_nothing_until_it_is_asked_to(visit):
    person = visit()
    start_story(person.page, person.origin, "hello-pod", stands_at_s=5)
    page = person.page
    node = first_of(page, "node")
    page.goto(f"{page.url.split('?')[0]}?tab=kubectl&k=cordon+{node}")
    wait_for_run(page)
    expect(page.locator("#kubectl-note")).to_contain_text("nothing has been done yet")
    page.get_by_role("button", name="Apply it").click()
    expect(page.locator("#kubectl-answer")).to_have_text(f"{node} cordoned\n")
    assert person.troubles == []


def ask(page, text):
    """Type a line into the tab and press Enter."""
    line = page.locator("#kubectl-line")
    if not line.is_visible():
        page.locator("#timeline").focus()
        page.keyboard.press("k")
    line.fill(text)
    line.press("Enter")


def first_of(page, kind):
    """``kind/name`` of the first object of a kind, as printed by the tab."""
    ask(page, f"get {kind} -o name")
    answer = page.locator("#kubectl-answer")
    expect(answer).to_contain_text(f"{kind}/")
    return answer.inner_text().split()[0]


def test_the_transcript_leads_back_to_each_line_at_its_moment(visit):
    page = standing(visit(), "hello-pod", 5)
    line, answer = page.locator("#kubectl-line"), page.locator("#kubectl-answer")
    for typed in ("get nodes -o name", "get pods -o name"):
        ask(page, typed)
        expect(answer).to_contain_text(f"{typed.split()[1][:-1]}/")
    page.locator("#kubectl-transcript summary").click()
    expect(page.locator("#kubectl-transcript li")).to_have_count(2)
    page.locator("#kubectl-transcript a").first.click()
    expect(answer).to_contain_text("node/")
    expect(line).to_have_value("get nodes -o name")


def test_namespace_that_is_chosen_holds_for_later_lines(visit):
    person = visit()
    start_story(person.page, person.origin, "hello-pod", stands_at_s=5)
    page = person.page
    answer = page.locator("#kubectl-answer")
    ask(page, "config set-context --current --namespace=team")
    # The next line waits for the answer: it depends on it.
    ask(page, "get pods")
    expect(answer).to_have_text("No resources found in team namespace.\n")
    ask(page, "create configmap words --from-literal=a=b")
    expect(answer).to_have_text("configmap/words created\n")
    page.reload()
    wait_for_run(page)
    ask(page, "config view --minify -o jsonpath='{..namespace}'")
    expect(answer).to_have_text("team")
    page.keyboard.press("Control+k")
    page.keyboard.type("kubectl get configmap words -o jsonpath='{.metadata.namespace} {.data.a}'")
    page.keyboard.press("Enter")
    expect(answer).to_have_text("team b")
    ask(page, "get pods -n default -o name")
    expect(answer).to_contain_text("pod/")
    page.locator("#kubectl-form button[name=k]", has_text="describe pod").click()
    expect(answer).to_contain_text("QoS Class:")
    page.locator("#kubectl-transcript summary").click()
    page.locator("#kubectl-transcript li", has_text="$ kubectl get pods").first.locator("a").click()
    expect(answer).to_have_text("No resources found in team namespace.\n")
    assert person.troubles == []


def test_line_goes_on_where_the_namespace_could_not_be_chosen(visit):
    person = visit()
    page = standing(person, "hello-pod", 5)
    ask(page, "get pods -o name")
    answer = page.locator("#kubectl-answer")
    expect(answer).to_contain_text("pod/")
    page.route("**/panel/kubectl/**set-context**", lambda route: route.fulfill(status=400))
    ask(page, "config set-context --current --namespace=team")
    expect(page.locator("#drawer-body")).to_have_attribute("data-stale", "true")
    ask(page, "config current-context")
    expect(answer).to_have_text(re.compile(r"^podscope-[0-9a-f]{8}\n$"))
    ask(page, "get pods -o name")
    expect(answer).to_contain_text("pod/")
    # Only what the test itself has refused.
    assert all(trouble.startswith("400 ") and "set-context" in trouble for trouble in person.troubles)
    person.troubles.clear()
