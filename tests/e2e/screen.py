#!/usr/bin/env python3
"""What stands on the screen, or when it changes: screen.py LEFT TOP WIDTH HEIGHT [watch].

Writes that part of it to the standard output, four bytes a pixel; with `watch` a line for each change, the time in milliseconds
since 1970, until it is ended.

A screenshot through WebDriver is made by the page's own process, and the page's clock knows when it was done with a frame;
whether and when the window shows it, only the screen knows.
"""

import ctypes
import sys
import time
from ctypes import POINTER, Structure, c_char_p, c_int, c_ubyte, c_uint, c_ulong, c_void_p

EVERY_PLANE = 0xFFFFFFFF
Z_PIXMAP = 2
# Between two looks. Each takes from the processor that draws what is looked at.
LOOK_EVERY_S = 0.001


class Image(Structure):
    _fields_ = [("width", c_int), ("height", c_int), ("xoffset", c_int), ("format", c_int), ("data", POINTER(c_ubyte)),
                ("byte_order", c_int), ("bitmap_unit", c_int), ("bitmap_bit_order", c_int), ("bitmap_pad", c_int), ("depth", c_int),
                ("bytes_per_line", c_int), ("bits_per_pixel", c_int)]


x = ctypes.CDLL("libX11.so.6")
for name, result, arguments in [
    ("XOpenDisplay", c_void_p, [c_char_p]),
    ("XDefaultRootWindow", c_ulong, [c_void_p]),
    ("XGetImage", POINTER(Image), [c_void_p, c_ulong, c_int, c_int, c_uint, c_uint, c_ulong, c_int]),
    ("XFree", c_int, [c_void_p]),
]:
    function = getattr(x, name)
    function.restype, function.argtypes = result, arguments

display = x.XOpenDisplay(None) or sys.exit("there is no display")
root = x.XDefaultRootWindow(display)
part = [int(number) for number in sys.argv[1:5]]


def look():
    image = x.XGetImage(display, root, *part, EVERY_PLANE, Z_PIXMAP)
    pixels = ctypes.string_at(image.contents.data, image.contents.bytes_per_line * image.contents.height)
    x.XFree(image.contents.data)
    x.XFree(image)
    return pixels


shown = look()
if "watch" not in sys.argv:
    sys.stdout.buffer.write(shown)
    sys.exit()
while True:
    time.sleep(LOOK_EVERY_S)
    now = look()
    if now != shown:
        print(f"{time.time() * 1000:.1f}", flush=True)
    shown = now
