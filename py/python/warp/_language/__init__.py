"""What programs write kernels with: decorators, structs, modules and their options, and functions that are such."""
