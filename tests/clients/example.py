"""Runs the example of a section of docs/clients.md, and compares what it prints with the page.

    example.py PAGE SECTION

The example is what the page has Python read, and what it prints is the next block of text.
"""

import pathlib
import re
import subprocess
import sys

page, section = pathlib.Path(sys.argv[1]).read_text(), sys.argv[2]
_, _, rest = page.partition(f"\n## {section}\n")
found = re.search(r"<<'PYTHON'\n(.*?)^PYTHON$.*?^```text\n(.*?)^```$", rest, re.DOTALL | re.MULTILINE)
assert found, f"no example in the section {section}"
program, expected = found.groups()
run = subprocess.run([sys.executable, "-"], input=program, stdout=subprocess.PIPE, text=True, check=True, timeout=300)
assert run.stdout == expected, f"printed:\n{run.stdout}\nthe page has:\n{expected}"
print(run.stdout, end="")
