// SPDX-License-Identifier: Apache-2.0

// The function of libFuzzer for programs with a main function of their own.

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerRunDriver(
    int *argc, char ***argv, int (*callback)(const uint8_t *data, size_t size));
