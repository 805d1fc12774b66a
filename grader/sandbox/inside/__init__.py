"""What runs beside learner code, and the protocol that it speaks.

Everything in this folder ends up in the process of a submission, where learner code can read and
change it. So it knows no expected value, no tolerance, no verdict, no path and no secret, and it
imports the standard library, NumPy and torch only. It is started as a package of its own (``inside``),
never as part of ``grader``. Nothing that it says is trusted: the other side checks every byte.

One stream of frames in each direction (``frames.py`` is the only module that both sides import):

    grader → child      JOB       [file, …]                  the submission's files, before anything runs
    child → grader      HELLO     {layers, versions}         after confinement, before the first line of a learner
                        FAILED    text                       instead of HELLO: confinement did not work
    grader → child      TASKS     [task, …]                  as often as there is something to do
    child → grader      LOADED    {task, failures, absent}   a ``load`` task ended well; notebook cells that failed, and
                                                             modules asked for so far that are not available
                        RETURNED  {task, values}             a ``run`` task ended well: the values of its *send* steps
                        RAISED    {task, type, bases, text, file, line}
                        UNREADABLE {task, reason, detail}    a value that is not of the contract
                        TOO_BIG   {task, limit}

Tasks are answered in their order, one frame each, numbered through all lists. The grader hands out one task at a
time, when the one before is answered: its clocks then say what each took, however late it reads the answer. Files are
loaded before any input is here, and public cases are done before hidden inputs are, so that what may be shown of the
former cannot speak of the latter. A task is

    ["load", module]                                          execute the parts of a source file
    ["run", module, array_type, seed, steps, send, limit]     run a straight-line program

and a step is one of

    ["value", argument]
    ["call", name or reference, arguments, keyword arguments]
    ["apply", helper, arguments, keyword arguments]           helpers: see ``helpers.py``

Arguments are None, booleans, integers, floats, strings, lists, tuples, dicts with string keys, arrays
(``frames.Block``) and references to earlier steps (``frames.StepRef``). Results come back as the same
kinds of value, references excepted; everything else stays in the child.
"""
