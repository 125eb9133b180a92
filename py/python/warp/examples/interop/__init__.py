"""Examples of Warp beside other frameworks; each checks what it computes."""
