"""The code that runs in the same process as learner code, and its protocol.

Learner code can read and change everything in this folder once it runs in a child. So the child never receives
expected values, tolerances, verdicts or a secret seed, and of hidden inputs only those of the messages so far. This
package imports only the standard library, NumPy and torch. It is started as a package of its own (``inside``), never as
part of ``grader``. The grader trusts nothing that it sends, and checks every byte.

There is one stream of frames in each direction (``frames.py`` is the only module that both sides import):

    grader → child      JOB       [file, …]                  the submission's files, before anything runs; a file is
                                                             {module, parts, is_package, futures, probed, late}
    child → grader      HELLO     {layers, versions}         after confinement, before any learner code runs
                        FAILED    text                       instead of HELLO: confinement failed
    grader → child      TASKS     [task, …]                  as often as there is something to do
    child → grader      LOADED    {task, failures, absent}   a ``load`` task succeeded: the first notebook cell that
                                                             failed, if any, and [module, file, line] for each module
                                                             imported so far that is not available
                        RETURNED  {task, values}             a ``run`` task succeeded: the values of its *send* steps
                        RAISED    {task, type, bases, text, file, line}
                        UNREADABLE {task, reason, detail}    a value that the contract does not allow
                        TOO_BIG   {task, limit}

An answer to a ``run`` task may have ``printed`` in addition: the beginning of what the program printed. The grader
keeps it only until the first hidden input is sent.

Each task gets one answer. Tasks are numbered from 0 for the whole life of the child. The grader sends the next message
only after all answers to the one before. The child is idle then, so the grader's clocks show what the message cost,
however late it reads the answers. A message is one file to load, or the public programs of one exercise, or its hidden
programs; after several programs, the child is asked to load the file again, which shows that it still runs. If programs
that were sent together use more than a little time, or one of them ends the child or breaks the protocol, none of their
answers counts: they are sent again to another child, one per message. So only messages with one task decide which call
reached a limit. Files are loaded before any input arrives, and public cases finish before hidden inputs arrive, so what
is shown of the former cannot reveal anything about the latter. A task is

    ["load", module]                                          execute the parts of a source file
    ["run", module, array_type, seed, steps, send, limit]     run a straight-line program; ``steps`` are packed on
                                                              their own; ``seed`` is a fixed number for the random
                                                              generators, not the seed of the course

A ``run`` may have one more entry, [landmarks, fixed, reruns, seconds]. Then the functions of the files are
instrumented (the files say ``probed``), and the answer has one value, what ``probing.search`` returns. Such a task has
public inputs, and landmarks are values of the reference on public cases; a child that gets it gets nothing else.

and a step is one of

    ["value", argument]
    ["call", name or reference, arguments, keyword arguments]
    ["apply", helper, arguments, keyword arguments]           helpers: see ``helpers.py``
    ["own", name, otherwise, module]                          the submission's own name, else the helper ``otherwise``

Arguments are None, booleans, integers, floats, strings, lists, tuples, dicts with string keys, arrays
(``frames.Block``) and references to earlier steps (``frames.StepRef``). Results are the same kinds of value, except
references; everything else stays in the child.

Threads are not part of this stream: the kernel asks the zygote before each new one (see ``zygote.py``).
"""
