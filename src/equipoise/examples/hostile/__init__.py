"""A hostile agent: it tries to get out of its sandbox, in every way that we know.

It is told where everything is that it must not reach, tries each attempt in a process of its own,
and says what came of it, one JSON object a line: ``attempt``, ``succeeded``, ``evidence``,
``error``. Standard library only; nothing here imports another part of equipoise: the folder can be
mounted into a sandbox as it is and run with ``python3 -m hostile < targets.json``.

Some attempts cannot be judged from inside (a process that lives on, a message that arrived): who
starts it has to look for those outside.
"""
