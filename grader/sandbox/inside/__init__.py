"""What runs beside learner code, and the protocol that it speaks.

Everything in this folder ends up in the process of a submission, where learner code can read and change it. So it is
never given an expected value, a tolerance, a verdict or the secret of a seed, and of hidden inputs only those of the
tasks so far. It imports the standard library, NumPy and torch only, and is started as a package of its own
(``inside``), never as part of ``grader``. Nothing that it says is trusted: the other side checks every byte.

One stream of frames in each direction (``frames.py`` is the only module that both sides import):

    grader → child      JOB       [file, …]                  the submission's files, before anything runs; a file is
                                                             {module, parts, is_package, futures}
    child → grader      HELLO     {layers, versions}         after confinement, before the first line of a learner
                        FAILED    text                       instead of HELLO: confinement did not work
    grader → child      TASKS     [task]                     as often as there is something to do
    child → grader      LOADED    {task, failures, absent}   a ``load`` task ended well: the first notebook cell that
                                                             failed, if any, and [module, file, line] for each module
                                                             that was asked for so far and is not available
                        RETURNED  {task, values}             a ``run`` task ended well: the values of its *send* steps
                        RAISED    {task, type, bases, text, file, line}
                        UNREADABLE {task, reason, detail}    a value that is not of the contract
                        TOO_BIG   {task, limit}

Each task gets one answer. Tasks are numbered from 0 for the whole life of the child. The grader hands out one at a
time, and the next one only when that is answered. So its clocks tell what each task took, however late it reads the
answer. Files are loaded before any input is here, and public cases are done before hidden inputs arrive, so what may
be shown of the former cannot say anything about the latter. A task is

    ["load", module]                                          execute the parts of a source file
    ["run", module, array_type, seed, steps, send, limit]     run a straight-line program; ``seed`` is a fixed number
                                                              for the random generators, not the seed of the course

and a step is one of

    ["value", argument]
    ["call", name or reference, arguments, keyword arguments]
    ["apply", helper, arguments, keyword arguments]           helpers: see ``helpers.py``
    ["own", name, otherwise, module]                          the submission's own name, else the helper ``otherwise``

Arguments are None, booleans, integers, floats, strings, lists, tuples, dicts with string keys, arrays
(``frames.Block``) and references to earlier steps (``frames.StepRef``). Results come back as the same
kinds of value, references excepted; everything else stays in the child.

Threads are not part of this stream: the kernel asks the zygote before each new one (see ``threads.py``).
"""
