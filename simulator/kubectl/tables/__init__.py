"""The tables of ``kubectl get``: for every kind its columns, as the server of a version defines them."""
