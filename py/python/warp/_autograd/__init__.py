"""What `warp.autograd` is made of: calls, their Jacobians, comparisons, plots."""
