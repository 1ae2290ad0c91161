"""Entry point for ASGI servers."""

import os

import django
from django.conf import settings

from lifecycle_site.collected import finish_static
from lifecycle_site.handler import ThreadedHandler
from lifecycle_site.memory import collect_rarely, limit_memory, threads_within
from lifecycle_site.refusals import refused_in_one_line

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "lifecycle_site.settings")
# This comes first: everything below imports models, which need the apps to be loaded.
with refused_in_one_line():
    django.setup()
    finish_static()  # before WhiteNoise scans the folder
    django_application = ThreadedHandler()
    limit_memory(settings.MEMORY_MB)
    collect_rarely()

from channels.routing import ProtocolTypeRouter

import lifecycle_site.urls  # noqa: F401  # every page's module, before requests come in threads and import them at once
from lifecycle_site import server
from lifecycle_site.addresses import BehindProxies
from lifecycle_site.bodies import ReadableBodies
from lifecycle_site.last_resort import LastResort
from lifecycle_site.turns import InTurn, LateRefusals
from simulator.runs.live.routing import websocket_application
from simulator.runs.turns.constants import THREADS_MAX
from simulator.web.base.guards import start_page_workers
from simulator.web.door.application import ClusterDoor
from simulator.web.door.sockets import DoorSockets

http = LateRefusals(ClusterDoor(ReadableBodies(InTurn(django_application, at_once=threads_within(settings.MEMORY_MB, THREADS_MAX)))))
by_protocol = ProtocolTypeRouter({"http": http, "websocket": DoorSockets(websocket_application)})
application = LastResort(BehindProxies(by_protocol, count=settings.PROXIES))
server.install(start_page_workers)
