"""A dictionary, whose keys nobody asked for.

caught-by: values
"""


def project_qkv(x, w_q, w_k, w_v):
    return {"q": x @ w_q, "k": x @ w_k, "v": x @ w_v}
