"""Names of CUDA's, which say what holds where only the CPU is. None is imported before it is used."""
