"""What tells of a process: the logger, diagnostics, account of memory, timelines."""
