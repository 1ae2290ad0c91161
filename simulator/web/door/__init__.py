"""The Kubernetes API of each run: an ASGI application for clients, and the page for getting a key."""
