"""Kernels, and Python functions that launch them, as functions of jax. Whatever stands here imports jax."""
