"""What the fork server imports once for all workers. It opens no connection and starts no thread: neither survives a fork."""

import gc
from importlib import import_module

import django

django.setup()
for name in ("lifecycle_site.urls", "simulator.runs.runner.child"):  # every page's module with all they need, the engine among them
    import_module(name)
gc.collect()
gc.freeze()
