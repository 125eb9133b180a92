"""Algorithms: images, sorting, sums, graphs, transforms, surfaces, linear systems."""
