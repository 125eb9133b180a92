"""Programs that follow gradients."""
