import numpy as np

def sinusoidal_encoding(n, d_model, base=10000.0):
    if d_model % 2 != 0:
        raise ValueError("d_model has to be even")
    pe = np.zeros((n, d_model))
    for pos in range(n):
        for i in range(0, d_model, 2):
            exponent = 2 * i / d_model  #!
            frequency = 1 / base ** exponent
            angle = pos * frequency
            pe[pos, i] = np.cos(angle)  #!
            pe[pos, i + 1] = np.sin(angle)  #!
    return pe
