"""Random wrong use of the package: cases of `wrong_use`, from the command line.

python tests/python/wrong_use/random_use.py --seed 17            prints a case, and runs it alone
python tests/python/wrong_use/random_use.py --count 20000        runs as many, and prints what is wrong
python tests/python/wrong_use/random_use.py --peer PYTHON        compares what calls give with another `warp`
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from wrong_use.processes import PER_WORKER, compare, describe, run, wrong


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, help="one case, alone")
    parser.add_argument("--start", type=int, default=0)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--per-worker", type=int, default=PER_WORKER)
    parser.add_argument("--peer", help="the interpreter of another package called warp")
    given = parser.parse_args()
    if given.seed is not None:
        for made, outcome in run([given.seed]):
            print(made.text)
            print(json.dumps(outcome.results, indent=1))
            print(*outcome.complaints, sep="\n")
        return
    seeds = list(range(given.start, given.start + given.count))
    if given.peer:
        for made, here, there in compare(seeds, given.peer):
            print(f"seed {made.seed}\n{made.text}\n  here:  {here}\n  there: {there}", flush=True)
        return
    for made, outcome in wrong(seeds, per_worker=given.per_worker):
        print(describe(made, outcome), flush=True)


if __name__ == "__main__":
    main()
