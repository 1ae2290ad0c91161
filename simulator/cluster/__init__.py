"""A cluster for one command: a run without a site or a database, with an address for kubectl, helm and other clients (docs/kubectl.md)."""
