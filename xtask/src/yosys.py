"""A small `yosys` command over the Python library of Yosys.

usage: yosys [-q] [-V] -p "commands"...

Commands are separated by `;` and the log goes to standard output, as with Yosys' own program.
`-q` prints warnings and errors only, on standard error. An error ends with exit code 1.
"""

import argparse
import os
import sys


def run(scripts):
    from pyosys import libyosys as ys

    design = ys.Design()
    for script in scripts:
        ys.run_pass(script, design)
    ys.log_flush()


def run_quietly(scripts):
    """Runs in a child whose log this process filters: the library cannot be told to be quiet."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        os.dup2(writer, 1)
        os.close(writer)
        run(scripts)
        return
    os.close(writer)
    with os.fdopen(reader, errors="replace") as log:
        for line in log:
            if "Warning:" in line:
                sys.stderr.write(line)
    sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))


def main():
    parser = argparse.ArgumentParser(prog="yosys", description="Yosys from its Python library")
    parser.add_argument("-p", action="append", default=[], metavar="COMMANDS", help="run these commands")
    parser.add_argument("-q", action="store_true", help="print warnings and errors only")
    parser.add_argument("-V", action="store_true", help="print the version")
    arguments = parser.parse_args()
    if arguments.V:
        from importlib.metadata import version

        print(f"Yosys {version('pyosys')} (Python library)")
    elif not arguments.p:
        parser.error("nothing to do: give commands with -p")
    elif arguments.q:
        run_quietly(arguments.p)
    else:
        run(arguments.p)


main()
