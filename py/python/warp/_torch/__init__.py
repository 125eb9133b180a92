"""Kernels as operators of torch. Whatever stands here imports torch."""
