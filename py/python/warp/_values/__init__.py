"""Values in Python: scalars, vectors, matrices and the like, what their types are, and how C sees them and arrays."""
