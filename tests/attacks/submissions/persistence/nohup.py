"""A program that outlives its parents.

tries: nohup, setsid and sh -c in the background
observe: raises
plain: succeeds
"""

import subprocess


def scaled_dot_product_attention(q, k, v, mask=None):
    subprocess.Popen(["nohup", "sh", "-c", "sleep 0.3; true @mark@"], start_new_session=True)
    raise RuntimeError("GOT a program that runs")
