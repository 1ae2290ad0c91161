"""Entry point for ASGI servers."""

import os

from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "lifecycle_site.settings")
# First of all: everything below imports models, which need the apps to be loaded.
django_application = get_asgi_application()

from channels.routing import ProtocolTypeRouter  # noqa: E402
from django.conf import settings  # noqa: E402

from lifecycle_site import server  # noqa: E402
from lifecycle_site.addresses import BehindProxies  # noqa: E402
from simulator.routing import websocket_application  # noqa: E402

application = BehindProxies(ProtocolTypeRouter({"http": django_application, "websocket": websocket_application}), count=settings.PROXIES)
server.install()
