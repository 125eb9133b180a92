"""What arrays do by kernels: `wp.map`, operators, copies and casts; indexed arrays; colours of graphs."""
