"""A small `yosys` command over the Python library of Yosys.

usage: yosys [-q] [-V] [-l log] [-p "commands"]... [script]

Commands are separated by `;` and the log goes to standard output, as with Yosys' own program.
`-q` prints warnings and errors only, on standard error; `-l` writes the whole log into a file.
An error ends with exit code 1.
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


def run_filtered(scripts, quiet, file):
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
            if file:
                file.write(line)
            if not quiet:
                sys.stdout.write(line)
            elif "Warning:" in line or "ERROR:" in line:
                sys.stderr.write(line)
    if file:
        file.close()
    sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))


def main():
    parser = argparse.ArgumentParser(prog="yosys", description="Yosys from its Python library")
    parser.add_argument("-p", action="append", default=[], metavar="COMMANDS", help="run these commands")
    parser.add_argument("-q", action="store_true", help="print warnings and errors only")
    parser.add_argument("-l", type=argparse.FileType("w"), metavar="FILE", help="write the log into this file")
    parser.add_argument("script", nargs="?", help="a file of commands, run after those of -p")
    parser.add_argument("-V", action="store_true", help="print the version")
    arguments = parser.parse_args()
    if arguments.V:
        from importlib.metadata import version

        print(f"Yosys {version('pyosys')} (Python library)")
        return
    scripts = arguments.p + ([f"script {arguments.script}"] if arguments.script else [])
    if not scripts:
        parser.error("nothing to do: give commands with -p, or a script")
    elif arguments.q or arguments.l:
        run_filtered(scripts, arguments.q, arguments.l)
    else:
        run(scripts)


main()
