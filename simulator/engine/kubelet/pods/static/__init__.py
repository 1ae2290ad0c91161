"""Static pods: manifests in a node's folder, and their mirrors in the API."""
