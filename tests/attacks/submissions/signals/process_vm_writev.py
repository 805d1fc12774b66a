"""Somebody else's memory, written.

tries: process_vm_writev(2) to the address of a string of the grader, and /proc/PID/mem
observe: raises
plain: succeeds
"""

import ctypes

libc = ctypes.CDLL(None, use_errno=True)


class Piece(ctypes.Structure):
    _fields_ = [("base", ctypes.c_void_p), ("length", ctypes.c_size_t)]


def scaled_dot_product_attention(q, k, v, mask=None):
    text = ctypes.create_string_buffer(b"overwritten")
    here = Piece(ctypes.addressof(text), 11)
    there = Piece(int("@scratch_address@"), 11)
    if libc.process_vm_writev(int("@grader@"), ctypes.byref(here), 1, ctypes.byref(there), 1, 0) > 0:
        raise RuntimeError("GOT into the memory of the grader")
    with open("/proc/@grader@/mem", "r+b", buffering=0) as file:
        file.seek(int("@scratch_address@"))
        raise RuntimeError(f"GOT {file.write(b'overwritten')} bytes into the memory of the grader")
