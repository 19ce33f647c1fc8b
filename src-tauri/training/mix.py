#!/usr/bin/env python3
"""The mean of trained readers that began alike: it is better on text of others than each of them.

usage: mix.py OUT.pt WEIGHTS.pt|FOLDER ...
"""
import sys

import torch

import export


def main():
    if len(sys.argv) < 3:
        raise SystemExit(__doc__)
    states = [export.load(path) for path in sys.argv[2:]]
    torch.save({name: sum(state[name] for state in states) / len(states) for name in states[0]}, sys.argv[1])


if __name__ == "__main__":
    main()
