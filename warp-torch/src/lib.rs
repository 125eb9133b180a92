//! Adapter: torch.
