#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Runs a program as on a kernel without pidfd_open(2): a seccomp filter makes the call fail."""

import ctypes
import errno
import os
import struct
import sys

PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, SECCOMP_MODE_FILTER = 38, 22, 2
SYS_PIDFD_OPEN = 434
LOAD, JUMP_IF_EQUAL, RETURN = 0x20, 0x15, 0x06
ALLOW, FAIL = 0x7FFF_0000, 0x0005_0000


def main(arguments):
    instructions = [
        (LOAD, 0, 0, 0),
        (JUMP_IF_EQUAL, 0, 1, SYS_PIDFD_OPEN),
        (RETURN, 0, 0, FAIL | errno.ENOSYS),
        (RETURN, 0, 0, ALLOW),
    ]
    code = ctypes.create_string_buffer(
        b"".join(struct.pack("<HBBI", *instruction) for instruction in instructions))
    program = ctypes.create_string_buffer(
        struct.pack("<H6xQ", len(instructions), ctypes.addressof(code)))
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) or libc.prctl(
            PR_SET_SECCOMP, SECCOMP_MODE_FILTER, program, 0, 0):
        sys.exit("no filter: " + os.strerror(ctypes.get_errno()))
    os.execv(arguments[0], arguments)


main(sys.argv[1:])
