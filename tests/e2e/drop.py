#!/usr/bin/env python3
"""Drops files on Keepsake's window as a file manager does: drop.py WAIT_S FILE...

WebDriver acts inside the page and cannot drop anything from outside. This speaks XDND, version 5, over libX11, which the window
itself is built on; the window cannot tell it from any other source. Prints what the window answered: `dropped` or why not.
"""

import ctypes
import pathlib
import select
import sys
import time
from ctypes import POINTER, Structure, Union, byref, c_char_p, c_int, c_long, c_uint, c_ulong, c_void_p

VERSION = 5
CLIENT_MESSAGE, SELECTION_REQUEST, SELECTION_NOTIFY = 33, 30, 31
ATOM = 4


class ClientMessage(Structure):
    _fields_ = [("type", c_int), ("serial", c_ulong), ("send_event", c_int), ("display", c_void_p), ("window", c_ulong),
                ("message_type", c_ulong), ("format", c_int), ("data", c_long * 5)]


class SelectionRequest(Structure):
    _fields_ = [("type", c_int), ("serial", c_ulong), ("send_event", c_int), ("display", c_void_p), ("owner", c_ulong),
                ("requestor", c_ulong), ("selection", c_ulong), ("target", c_ulong), ("property", c_ulong), ("time", c_ulong)]


class Selection(Structure):
    _fields_ = [("type", c_int), ("serial", c_ulong), ("send_event", c_int), ("display", c_void_p), ("requestor", c_ulong),
                ("selection", c_ulong), ("target", c_ulong), ("property", c_ulong), ("time", c_ulong)]


class Event(Union):
    _fields_ = [("type", c_int), ("client", ClientMessage), ("request", SelectionRequest), ("selection", Selection),
                ("pad", c_long * 24)]


x = ctypes.CDLL("libX11.so.6")
for name, result, arguments in [
    ("XOpenDisplay", c_void_p, [c_char_p]),
    ("XDefaultRootWindow", c_ulong, [c_void_p]),
    ("XInternAtom", c_ulong, [c_void_p, c_char_p, c_int]),
    ("XCreateSimpleWindow", c_ulong, [c_void_p, c_ulong, c_int, c_int, c_uint, c_uint, c_uint, c_ulong, c_ulong]),
    ("XSetSelectionOwner", c_int, [c_void_p, c_ulong, c_ulong, c_ulong]),
    ("XQueryTree", c_int, [c_void_p, c_ulong, POINTER(c_ulong), POINTER(c_ulong), POINTER(POINTER(c_ulong)), POINTER(c_uint)]),
    ("XListProperties", POINTER(c_ulong), [c_void_p, c_ulong, POINTER(c_int)]),
    ("XFetchName", c_int, [c_void_p, c_ulong, POINTER(c_char_p)]),
    ("XTranslateCoordinates", c_int,
     [c_void_p, c_ulong, c_ulong, c_int, c_int, POINTER(c_int), POINTER(c_int), POINTER(c_ulong)]),
    ("XChangeProperty", c_int, [c_void_p, c_ulong, c_ulong, c_ulong, c_int, c_int, c_void_p, c_int]),
    ("XSendEvent", c_int, [c_void_p, c_ulong, c_int, c_long, POINTER(Event)]),
    ("XNextEvent", c_int, [c_void_p, POINTER(Event)]),
    ("XPending", c_int, [c_void_p]),
    ("XFlush", c_int, [c_void_p]),
    ("XConnectionNumber", c_int, [c_void_p]),
]:
    function = getattr(x, name)
    function.restype, function.argtypes = result, arguments


class Drag:
    def __init__(self, files, wait_s):
        self.display = x.XOpenDisplay(None) or sys.exit("there is no display")
        self.root = x.XDefaultRootWindow(self.display)
        self.source = x.XCreateSimpleWindow(self.display, self.root, 0, 0, 1, 1, 0, 0, 0)
        self.uris = "".join(f"{pathlib.Path(file).resolve().as_uri()}\r\n" for file in files).encode()
        self.ends = time.monotonic() + wait_s
        self.was_read = False

    def atom(self, name):
        return x.XInternAtom(self.display, name.encode(), 0)

    def target(self):
        """The window of Keepsake that takes drops."""
        waiting = [self.root]
        while waiting:
            window = waiting.pop()
            root, parent, children, count = c_ulong(), c_ulong(), POINTER(c_ulong)(), c_uint()
            x.XQueryTree(self.display, window, byref(root), byref(parent), byref(children), byref(count))
            waiting.extend(children[n] for n in range(count.value))
            number, title = c_int(), c_char_p()
            properties = x.XListProperties(self.display, window, byref(number))
            x.XFetchName(self.display, window, byref(title))
            takes = any(properties[n] == self.atom("XdndAware") for n in range(number.value))
            if takes and b"Keepsake" in (title.value or b""):
                return window
        sys.exit("no window of Keepsake takes drops")

    def send(self, window, kind, *data):
        event = Event()
        event.client.type, event.client.window, event.client.format = CLIENT_MESSAGE, window, 32
        event.client.message_type = self.atom(kind)
        event.client.data[:] = [*data, *[0] * (5 - len(data))]
        x.XSendEvent(self.display, window, 0, 0, byref(event))
        x.XFlush(self.display)

    def answer(self, request):
        """Hands over the list of files, or says which kinds of data there are."""
        if request.target == self.atom("TARGETS"):
            kinds = (c_ulong * 2)(self.atom("TARGETS"), self.atom("text/uri-list"))
            x.XChangeProperty(self.display, request.requestor, request.property, ATOM, 32, 0, kinds, 2)
        else:
            x.XChangeProperty(self.display, request.requestor, request.property, request.target, 8, 0, self.uris, len(self.uris))
            self.was_read = True
        event = Event()
        notify = event.selection
        notify.type, notify.requestor, notify.selection = SELECTION_NOTIFY, request.requestor, request.selection
        notify.target, notify.property, notify.time = request.target, request.property, request.time
        x.XSendEvent(self.display, request.requestor, 0, 0, byref(event))
        x.XFlush(self.display)

    def until(self, what, is_done):
        """Answers events until one is what is waited for."""
        event = Event()
        while True:
            while x.XPending(self.display):
                x.XNextEvent(self.display, byref(event))
                if event.type == SELECTION_REQUEST:
                    self.answer(event.request)
                if is_done(event):
                    return event
            left_s = self.ends - time.monotonic()
            if left_s <= 0:
                sys.exit(f"waited in vain for {what}")
            select.select([x.XConnectionNumber(self.display)], [], [], left_s)

    def drop(self):
        window = self.target()
        left, top, child = c_int(), c_int(), c_ulong()
        x.XTranslateCoordinates(self.display, window, self.root, 300, 300, byref(left), byref(top), byref(child))
        x.XSetSelectionOwner(self.display, self.atom("XdndSelection"), self.source, 0)
        is_client = lambda event, kind: event.type == CLIENT_MESSAGE and event.client.message_type == self.atom(kind)
        self.send(window, "XdndEnter", self.source, VERSION << 24, self.atom("text/uri-list"))
        # The first move makes the window ask for the list; only then can it say whether it takes it.
        move = [self.source, 0, left.value << 16 | top.value, 0, self.atom("XdndActionCopy")]
        self.send(window, "XdndPosition", *move)
        self.until("the window to read the list of files", lambda _: self.was_read)
        accepts = False
        while not accepts:
            self.send(window, "XdndPosition", *move)
            accepts = self.until("the window to take the files", lambda event: is_client(event, "XdndStatus")).client.data[1] & 1
        self.send(window, "XdndDrop", self.source, 0, 0)
        self.until("the window to say that it took them", lambda event: is_client(event, "XdndFinished"))
        print("dropped")


Drag(sys.argv[2:], float(sys.argv[1])).drop()
