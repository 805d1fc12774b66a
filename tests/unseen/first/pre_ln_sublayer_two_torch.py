def pre_ln_sublayer(x, sublayer, gamma, beta):
    mu = x.mean(-1, keepdim=True)
    sd = x.std(-1, keepdim=True)  #!
    z = (x - mu) / (sd + 1e-5) * gamma + beta
    return z + sublayer(z)  #!
