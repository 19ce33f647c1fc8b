#!/usr/bin/env python3
"""Renders icons/keepsake.svg into the sizes and containers that tauri.conf.json names. Needs rsvg-convert (librsvg2-bin).

Run by hand after the drawing changes; the results are committed.
"""

import struct
import subprocess
from pathlib import Path

ICONS = Path(__file__).resolve().parents[2] / "icons"


def png(size: int) -> bytes:
    command = ["rsvg-convert", "-w", str(size), "-h", str(size), str(ICONS / "keepsake.svg")]
    return subprocess.run(command, check=True, capture_output=True).stdout


def ico(sizes) -> bytes:
    """Windows: a directory of PNG images; a size of 256 is written as 0."""
    images = [png(size) for size in sizes]
    offset = 6 + 16 * len(images)
    header, entries = struct.pack("<HHH", 0, 1, len(images)), b""
    for size, image in zip(sizes, images):
        entries += struct.pack("<BBBBHHII", size % 256, size % 256, 0, 0, 1, 32, len(image), offset)
        offset += len(image)
    return header + entries + b"".join(images)


def icns(kinds) -> bytes:
    """macOS: tagged PNG images behind one length."""
    body = b""
    for tag, size in kinds:
        image = png(size)
        body += tag + struct.pack(">I", len(image) + 8) + image
    return b"icns" + struct.pack(">I", len(body) + 8) + body


def main():
    for name, size in {"32x32.png": 32, "128x128.png": 128, "128x128@2x.png": 256, "icon.png": 512}.items():
        (ICONS / name).write_bytes(png(size))
    (ICONS / "icon.ico").write_bytes(ico([16, 32, 48, 256]))
    (ICONS / "icon.icns").write_bytes(icns([(b"ic07", 128), (b"ic08", 256), (b"ic09", 512)]))


if __name__ == "__main__":
    main()
