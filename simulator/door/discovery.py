"""Discovery documents of a cluster: its groups and the resources in them, plain and aggregated.

Source: apimachinery pkg/apis/meta/v1 types (APIGroupList, APIResourceList); api/apidiscovery (v2, v2beta1).
"""

from itertools import groupby

from simulator.door.exchange import JSON, DoorReply, Media, json_reply, media_types
from simulator.door.resources import Resource, Subresource, resources_of, served
from simulator.engine.kernel.json_text import Json
from simulator.engine.model.named_kinds import OTHER_VERSIONS
from simulator.engine.network.services import API_ADDRESS, API_PORT
from simulator.engine.world.world import World

AGGREGATED = "APIGroupDiscoveryList"
_VERSIONS = ("v2", "v2beta1")
_ADDRESS = {"clientCIDR": "0.0.0.0/0", "serverAddress": f"{API_ADDRESS}:{API_PORT}"}


def api_root(world: World, accept: str) -> DoorReply:
    """``/api``: the version of the core group, or its resources if the client asks for aggregated discovery."""
    media = _aggregated(accept)
    if media is not None:
        return _aggregated_reply(media, [item for item in served(world) if not item.info.group])
    return json_reply({"kind": "APIVersions", "versions": ["v1"], "serverAddressByClientCIDRs": [_ADDRESS]})


def apis_root(world: World, accept: str) -> DoorReply:
    """``/apis``: the other groups, or their resources if the client asks for aggregated discovery."""
    media = _aggregated(accept)
    named = [item for item in served(world) if item.info.group]
    if media is not None:
        return _aggregated_reply(media, named)
    minor = world.release.minor
    groups = [_group(group, list(items), minor) for group, items in groupby(named, key=lambda item: item.info.group)]
    return json_reply({"kind": "APIGroupList", "apiVersion": "v1", "groups": groups})


def group_document(world: World, group: str) -> Json | None:
    """``/apis/apps``: one group with its versions; None if it is not served."""
    items = [item for item in served(world) if item.info.group == group]
    return {"kind": "APIGroup", "apiVersion": "v1", **_group(group, items, world.release.minor)} if items else None


def _group(group: str, items: list[Resource], minor: int) -> Json:
    named = (f"{group}/{other.version}" for other in OTHER_VERSIONS if other.group == group and other.holds_for(minor))
    every = dict.fromkeys((*(item.group_version for item in items), *named))
    versions = [{"groupVersion": each, "version": each.rpartition("/")[2]} for each in every]
    return {"name": group, "versions": versions, "preferredVersion": versions[0]}


def resource_list(world: World, group: str, version: str) -> Json | None:
    """``/api/v1``, ``/apis/apps/v1``: the resources of a group version; None if it is not served."""
    items = resources_of(world, group, version)
    minor = world.release.minor
    if not items and not any((other.group, other.version) == (group, version) and other.holds_for(minor) for other in OTHER_VERSIONS):
        return None
    entries = [entry for item in items for entry in (_plain(item), *(_plain_sub(item, sub) for sub in item.subresources()))]
    return {"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": f"{group}/{version}" if group else version, "resources": entries}


def _plain(item: Resource) -> Json:
    info = item.info
    entry: Json = {"name": info.plural, "singularName": info.singular, "namespaced": info.namespaced, "kind": info.kind}
    entry["verbs"] = list(item.verbs)
    if info.short_names:
        entry["shortNames"] = list(info.short_names)
    if item.categories:
        entry["categories"] = list(item.categories)
    return entry


def _plain_sub(item: Resource, sub: Subresource) -> Json:
    entry: Json = {"name": f"{item.info.plural}/{sub.name}", "singularName": "", "namespaced": item.info.namespaced}
    if sub.version:
        entry |= {"group": sub.group, "version": sub.version}
    return {**entry, "kind": sub.kind, "verbs": list(sub.verbs)}


def _aggregated(accept: str) -> Media | None:
    """The media type of aggregated discovery if the client prefers it to the plain documents, otherwise None."""
    for media in media_types(accept):
        if media.name == JSON and media.transform == AGGREGATED and media.version in _VERSIONS:
            return media
        if media.name == JSON and not media.transform:
            return None
    return None


def _aggregated_reply(media: Media, items: list[Resource]) -> DoorReply:
    # The content type names the version: kubectl 1.27 to 1.29 only read v2beta1 and treat an answer in v2 as one
    # without resources.
    groups = [_aggregated_group(group, list(found)) for group, found in groupby(items, key=lambda item: item.info.group)]
    document = {"kind": AGGREGATED, "apiVersion": f"apidiscovery.k8s.io/{media.version}", "metadata": {}, "items": groups}
    return json_reply(document, content_type=f"{JSON};g=apidiscovery.k8s.io;v={media.version};as={AGGREGATED}")


def _aggregated_group(group: str, items: list[Resource]) -> Json:
    versions = [
        {"version": version, "resources": [_entry(item) for item in found], "freshness": "Current"}
        for version, found in groupby(items, key=lambda item: item.version)
    ]
    return {"metadata": {"name": group} if group else {}, "versions": versions}


def _entry(item: Resource) -> Json:
    info = item.info
    entry: Json = {
        "resource": info.plural,
        "responseKind": {"group": info.group, "version": item.version, "kind": info.kind},
        "scope": "Namespaced" if info.namespaced else "Cluster",
        "singularResource": info.singular,
        "verbs": list(item.verbs),
    }
    if info.short_names:
        entry["shortNames"] = list(info.short_names)
    if item.categories:
        entry["categories"] = list(item.categories)
    subs = [_sub_entry(item, sub) for sub in item.subresources()]
    return {**entry, "subresources": subs} if subs else entry


def _sub_entry(item: Resource, sub: Subresource) -> Json:
    kind = {"group": sub.group or item.info.group, "version": sub.version or item.version, "kind": sub.kind}
    return {"subresource": sub.name, "responseKind": kind, "verbs": list(sub.verbs)}
