"""Kernels as operations of paddle. Whatever stands here imports paddle."""
