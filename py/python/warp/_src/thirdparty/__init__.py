"""What NVIDIA Warp's private modules have of others."""
