"""Static pods: manifests in the folder of a node, and their mirrors in the API."""
