def merge_heads(x):
    h, n, d = x.shape[-3:]
    return x.transpose(-3, -2).transpose(-1, -2).reshape(*x.shape[:-3], n, h * d)  #!
