"""How much more a site does with more machines: web process and runner on each, PostgreSQL and Redis on one of their own."""
