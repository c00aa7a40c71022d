// SPDX-License-Identifier: Apache-2.0

// The files of the console's page, which are part of the program.

#ifndef CCONSOLEASSETS_H
#define CCONSOLEASSETS_H

struct cascade_console_asset {
    const char *name;
    const unsigned char *bytes;
    unsigned long byte_count;
};

unsigned long cascade_console_asset_count(void);

// Returns the file at a position below the count.
struct cascade_console_asset cascade_console_asset(unsigned long index);

#endif
