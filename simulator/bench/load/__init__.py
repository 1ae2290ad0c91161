"""How a site copes with many people and many runs at once: real servers, real sockets, and people at addresses of their own."""
