"""Errors are coloured on a terminal that can show it, and nowhere else; on one of some width, lines end between words.

  colours.py STEPSIM
"""
from __future__ import annotations

import os
import pty
import subprocess
import sys
import termios


def error_of(program: str, columns: int = 0, **environment: str) -> str:
    """What a wrong command prints on a terminal, of 0 columns if it does not say how many it has."""
    there, here = pty.openpty()
    termios.tcsetwinsize(here, (24, columns))
    variables = {"PATH": os.environ["PATH"], "TERM": "xterm", **environment}
    subprocess.run([program, "run", "none.xml", "perlmutter"], stdin=here, stdout=here, stderr=here, env=variables, check=False)
    os.close(here)
    text = b""
    while True:  # a terminal hands over what it has so far, and refuses to be read when all is read and nobody writes
        try:
            text += os.read(there, 4096)
        except OSError:
            break
    os.close(there)
    return text.decode()


def main() -> int:
    program = sys.argv[1]
    red = "\033[1;31mstepsim:\033[0m "
    piped = subprocess.run([program, "run", "none.xml", "perlmutter"], capture_output=True, text=True, check=False).stderr
    right = (error_of(program).startswith(red) and error_of(program, NO_COLOR="").startswith(red)
             and error_of(program, NO_COLOR="1").startswith("stepsim: ") and error_of(program, TERM="dumb").startswith("stepsim: ")
             and piped.startswith("stepsim: "))
    narrow = error_of(program, 40, TERM="dumb").splitlines()
    folded = len(narrow) > 1 and all(len(line) <= 40 for line in narrow) and " ".join(" ".join(narrow).split()) == piped.strip()
    return 0 if right and folded else 1


if __name__ == "__main__":
    sys.exit(main())
