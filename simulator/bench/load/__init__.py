"""How a site bears many people and many runs at once: real servers, real sockets, and people who come from addresses of their own."""
