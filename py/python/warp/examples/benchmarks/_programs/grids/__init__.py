"""Programs on regular grids."""
