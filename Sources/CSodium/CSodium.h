// SPDX-License-Identifier: Apache-2.0

// The part of libsodium that Cascade uses. libzmq depends on the library too.

#include <sodium/crypto_hash_sha256.h>
