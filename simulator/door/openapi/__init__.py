"""OpenAPI documents of a cluster, versions 2 and 3, made from the official schemas of its release."""
