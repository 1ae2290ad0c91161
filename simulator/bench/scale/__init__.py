"""How a site scales with the number of machines: web process and runner on each, PostgreSQL and Redis on one of their own."""
