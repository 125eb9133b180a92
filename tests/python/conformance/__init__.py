"""The code of the specification documents, run on the CPU.

The documents are read from the folder named by `WARP_SPEC_DIR`; none of their text is stored here.
"""
