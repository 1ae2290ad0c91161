"""Which manager owns which field of an object: managedFields, and server-side apply, which consults them."""
