"""Layer by layer: inputs (and one more for the bias) times outputs."""


def count_ffn_parameters(d_model, d_ff, bias=False):
    more = 1 if bias else 0
    return sum((inputs + more) * outputs for inputs, outputs in ((d_model, d_ff), (d_ff, d_model)))
