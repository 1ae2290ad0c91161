"""The API server that real clients talk to: HTTP requests about one moment of a cluster, answered as kube-apiserver would.

Nothing here depends on a site, a database or a socket: ``answering.answer`` takes a request and a world and returns the
answer.
"""
