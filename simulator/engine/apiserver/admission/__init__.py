"""What admission adds to new objects, and what it refuses: the API server's plug-ins for pods, as functions of documents."""
