"""The Kubernetes API of each run: an ASGI application for clients, and the page on which one gets a key."""
