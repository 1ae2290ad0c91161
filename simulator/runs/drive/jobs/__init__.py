"""Work that takes long, carried out away from pages and runs: what kinds there are, the queue in the database, and who works it off."""
