"""The tables of ``kubectl get``: for every kind its columns, as the server of a version defines them.

The API server makes the rows and the client only prints them, so the columns depend on the server's minor version. A
column has the range of versions that print it (``Span``) and a function from document and moment to text.
"""
