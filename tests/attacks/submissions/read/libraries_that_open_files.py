"""A file by way of every library that opens files itself.

tries: torch.load, from_file, jit and load_library, NumPy's readers, sqlite3, zipfile, tarfile, tokenize, ctypes
observe: raises
plain: succeeds
"""

import contextlib
import ctypes
import io
import sqlite3
import tarfile
import tokenize
import zipfile

import numpy as np
import torch

PATH = "@secret_file@"


def table():
    with contextlib.closing(sqlite3.connect(f"file:{PATH}?mode=ro", uri=True)) as base:
        return base.execute("select 1 from sqlite_master").fetchall()


def scaled_dot_product_attention(q, k, v, mask=None):
    refused = None
    for read in (
        lambda: np.fromfile(PATH, np.uint8).tobytes(),
        lambda: np.memmap(PATH, np.uint8, "r").tobytes(),
        lambda: np.loadtxt(PATH, dtype=str),
        lambda: np.genfromtxt(PATH, dtype=str),
        lambda: torch.from_file(PATH, shared=False, size=8, dtype=torch.uint8).numpy().tobytes(),
        lambda: torch.UntypedStorage.from_file(PATH, False, 8).tolist(),
        lambda: io.FileIO(PATH).readall(),
        lambda: tokenize.open(PATH).read(),
    ):
        try:
            found = read()
        except Exception as error:
            refused = error
        else:
            raise RuntimeError(f"GOT {found!r}")
    for touch in (
        lambda: np.load(PATH, allow_pickle=True),
        lambda: torch.load(PATH, weights_only=False),
        lambda: torch.jit.load(PATH),
        lambda: torch.ops.load_library(PATH),
        lambda: zipfile.ZipFile(PATH),
        lambda: tarfile.open(PATH),
        lambda: ctypes.CDLL(PATH),
        table,
    ):
        try:
            touch()
        except Exception as error:
            if "@canary@" in str(error):
                raise RuntimeError(f"GOT {error}") from None
    raise refused
