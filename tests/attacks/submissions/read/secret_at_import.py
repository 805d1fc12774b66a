"""A file, read while the submission is loaded, before any function is called.

tries: module body, default argument, annotation, comprehension, decorator; the exception says what was read
observe: raises
"""

refused = None
stolen = []


def steal(*_):
    global refused
    try:
        stolen.append(open("@secret_file@").read())
    except OSError as error:
        refused = error
    return lambda function: function


steal()
[steal() for _ in range(2)]


@steal("decorator")
def scaled_dot_product_attention(q: steal(), k: steal(), v=steal(), mask=steal()):
    return v


if stolen:
    raise RuntimeError("GOT " + stolen[0])
raise refused
