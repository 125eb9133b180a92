"""Objects that kernels query by their ids."""
