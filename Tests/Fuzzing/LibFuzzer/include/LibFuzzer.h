// SPDX-License-Identifier: Apache-2.0

// The one function of libFuzzer that a program with a main function of its own calls.

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerRunDriver(
    int *argc, char ***argv, int (*callback)(const uint8_t *data, size_t size));
