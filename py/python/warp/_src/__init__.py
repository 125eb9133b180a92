"""Where programs look for what NVIDIA Warp keeps in private modules: names that this package has elsewhere."""
