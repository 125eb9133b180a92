"""Simulations: particles, solids, fluids, waves, spins."""
