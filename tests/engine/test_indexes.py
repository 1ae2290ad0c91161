"""The store's indexes: they give what a scan would give, whatever was written, and a fork's writes stay its own."""

import json

from hypothesis import given
from hypothesis import strategies as st

from simulator.engine import RunHeader, advance, apply, new_world
from simulator.engine.acts.objects.apply import ApplyManifest
from simulator.engine.acts.objects.delete import DeleteObject
from simulator.engine.acts.objects.patch import PatchObject
from simulator.engine.kernel.indexes import Index
from simulator.engine.world.lookups import dependents_of, objects_in, objects_of, pods_in, pods_labelled, pods_on, unmanaged_objects

WRITES = st.lists(st.tuples(st.sampled_from(["add", "drop"]), st.sampled_from("abc"), st.integers(0, 4)), max_size=40)


def filled(index, writes):
    for do, bucket, item in writes:
        getattr(index, do)(bucket, item)
    return index


def content(index):
    return {bucket: tuple(index.of(bucket)) for bucket in index.buckets()}


def model(writes):
    held = {}
    for do, bucket, item in writes:
        if do == "add":
            held.setdefault(bucket, {})[item] = None
        else:
            held.get(bucket, {}).pop(item, None)
    return {bucket: tuple(items) for bucket, items in held.items() if items}


@given(WRITES, WRITES, WRITES)
def test_fork_has_its_own_buckets(before, mine, theirs):
    one = filled(Index(), before)
    other = one.copy()
    filled(one, mine)
    filled(other, theirs)
    assert content(one) == model([*before, *mine])
    assert content(other) == model([*before, *theirs])
    assert len(one) == sum(map(len, content(one).values()))


SPEC = '{{"containers":[{{"name":"a","image":"busybox"}}]}}'
POD = '{{"apiVersion":"v1","kind":"Pod","metadata":{{"name":"{name}","labels":{{"app":"{app}"}}}},"spec":' + SPEC + "}}"
NAMES = ("one", "two", "three")
ACTS = st.one_of(
    st.builds(lambda name, app: ApplyManifest(documents=(POD.format(name=name, app=app),)), st.sampled_from(NAMES), st.sampled_from("xy")),
    st.builds(lambda name: DeleteObject(kind="Pod", name=name, grace_s=0), st.sampled_from(NAMES)),
    st.builds(
        lambda name, app: PatchObject(kind="Pod", name=name, patch=f'{{"metadata":{{"labels":{{"app":"{app}"}}}}}}', patch_kind="merge"),
        st.sampled_from(NAMES),
        st.sampled_from("xyz"),
    ),
)


@given(st.lists(ACTS, max_size=12))
def test_indexes_say_what_a_scan_says(acts):
    world = new_world(RunHeader(kubernetes="1.30"))
    for act in acts:
        apply(world, act)
        advance(world, until_ms=world.now_ms + 700)
    tables = world.tables
    rows = [row for row in tables.pods.values() if row.gone_ms is None]
    assert pods_in(tables, "default") == rows
    assert pods_on(tables, "node1") == [row for row in rows if row.node == "node1"]
    for app in "xyz":
        assert pods_labelled(tables, "default", {"app": app}) == [row for row in rows if row.pod.metadata.labels == {"app": app}]


OWNED = '{{"apiVersion":"v1","kind":"ConfigMap","metadata":{{"name":"{name}","ownerReferences":[{owner}]}}}}'


def config_map(name, **owner):
    return OWNED.format(name=name, owner=json.dumps({"apiVersion": "v1", "kind": "ConfigMap", "name": "owner", **owner}))


def test_owner_is_told_by_its_uid():
    world = new_world(RunHeader(kubernetes="1.30", manifests=('{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"owner"}}',)))
    owner = world.tables.objects[("ConfigMap", "default", "owner")]
    apply(world, ApplyManifest(documents=(config_map("by-uid", uid=owner.uid), config_map("by-name", uid="never-seen"))))
    dependents = dependents_of(world.tables, ("ConfigMap", "default", "owner"), owner.uid)
    assert [row.name for row in dependents] == ["by-uid", "by-name"]
    known = world.tables.objects[("ConfigMap", "default", "by-uid")].uid
    apply(world, ApplyManifest(documents=(config_map("of-another", uid=known),)))
    assert "of-another" not in [row.name for row in dependents_of(world.tables, ("ConfigMap", "default", "owner"), owner.uid)]


def test_objects_are_found_by_kind_and_namespace():
    world = new_world(RunHeader(kubernetes="1.30", manifests=('{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"}}',)))
    apply(world, ApplyManifest(documents=('{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"b","namespace":"other"}}',)))
    names = [row.name for row in objects_of(world.tables, "ConfigMap")]
    assert names == ["a", "b"]
    assert [row.name for row in objects_in(world.tables, "other")] == ["b"]
    apply(world, DeleteObject(kind="ConfigMap", namespace="other", name="b"))
    assert not objects_in(world.tables, "other")
    assert [row.name for row in objects_of(world.tables, "ConfigMap")] == ["a"]


REPLICA_SET = json.dumps(
    {
        "apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": {"name": "NAME", "labels": {"app": "APP"}},
        "spec": {"replicas": 0, "selector": {"matchLabels": {"app": "APP"}}, "template": {
            "metadata": {"labels": {"app": "APP"}}, "spec": {"containers": [{"name": "a", "image": "busybox"}]}}},
    }
)  # fmt: skip
DEPLOYMENT = REPLICA_SET.replace("ReplicaSet", "Deployment").replace("NAME", "web").replace("APP", "x")
OF_SETS = st.one_of(
    st.builds(
        lambda name, app: ApplyManifest(documents=(REPLICA_SET.replace("NAME", name).replace("APP", app),)),
        st.sampled_from(NAMES),
        st.sampled_from("xy"),
    ),
    st.builds(
        lambda name, app: PatchObject(kind="ReplicaSet", name=name, patch=json.dumps({"metadata": {"labels": {"app": app}}})),
        st.sampled_from(NAMES),
        st.sampled_from("xyz"),
    ),
    st.builds(lambda name: DeleteObject(kind="ReplicaSet", name=name), st.sampled_from(NAMES)),
)


@given(st.lists(OF_SETS, max_size=10))
def test_objects_that_nobody_manages_are_those_a_scan_finds(acts):
    world = new_world(RunHeader(kubernetes="1.30", manifests=(DEPLOYMENT,)))
    for act in acts:
        apply(world, act)
        advance(world, until_ms=world.now_ms + 700)
        every = list(objects_of(world.tables, "ReplicaSet", "default"))
        alone = [row for row in every if not any(owner.get("controller") for owner in _owners(row))]
        assert unmanaged_objects(world.tables, "ReplicaSet", "default") == alone


def _owners(row):
    return json.loads(row.document)["metadata"].get("ownerReferences", ())
