"""Gradients at work: what moves, controls or explains something is found through kernels."""
