"""How a world begins: its nodes, images and the objects of its manifests, all at time 0.

Order: nodes, then images, then manifests, then the script, then the imported past. Manifests go through
the same create path as ``kubectl apply`` does later; nothing enters the store bypassing the API server.
Records of time 0 belong to no step, so they are returned as ``first_records``.
"""

import json

from msgspec.structs import replace

from simulator.engine.apiserver.nodes.conditions import first_records
from simulator.engine.apiserver.store.creation import store_initial
from simulator.engine.course.components import WATCHES
from simulator.engine.course.header import RunHeader
from simulator.engine.course.options import options_of
from simulator.engine.kernel.records import Record, feed
from simulator.engine.kubelet.node.new_node import DEFAULT_NODE, add_machine
from simulator.engine.kubelet.pods.start.pulls import runs_on, tagged_name
from simulator.engine.past import play
from simulator.engine.world.effects import Effects
from simulator.engine.world.events import ScriptDue
from simulator.engine.world.queue import Lane
from simulator.engine.world.rows import ImageRow
from simulator.engine.world.world import World


def new_world(header: RunHeader) -> World:
    """A world at time 0 with the objects of its manifests created; ``first_records`` holds the records of their creation.

    The rules are this engine's, whatever revision the header was recorded under. Raises UnknownVersion or BadGate for the header's
    version and gates, and BadManifest if a document cannot be read (checking the manifest beforehand finds that).
    """
    world = World(header, WATCHES)
    kept = header.cluster.terminated_pod_gc_threshold
    if kept is not None:
        world.profile = replace(world.profile, pod_gc_threshold=kept)
    world.options = options_of(world.profile)
    records: list[Record] = []
    fx = Effects(world, records)
    for number, spec in enumerate(header.cluster.nodes or (DEFAULT_NODE,)):
        add_machine(fx, spec, number)
        # A node that joins later writes its first records when it joins.
        if not spec.joins_ms:
            first_records(fx, spec.name)
    for image in header.cluster.images:
        fx.save_image(tagged_name(image.name), ImageRow(available=image.available, pull_ms=image.pull_ms))
        for node in fx.tables.nodes if image.present else ():
            if runs_on(fx, image.name, node):
                fx.image_on_disk(node, tagged_name(image.name))
    for text in header.manifests:
        # Each object stands on its own; it is not a consequence of the one before.
        fx.cause = 0
        store_initial(fx, json.loads(text), text, header.namespace)
    for number, step in enumerate(header.script):
        fx.schedule(step.at_ms, Lane.SCRIPT, ScriptDue(number), cause=0)
    play.begin(fx)
    feed(world.hasher, records)
    world.first_records = tuple(records)
    return world
