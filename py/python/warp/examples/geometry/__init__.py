"""Meshes and trees that kernels query: rays, closest points, boxes."""
