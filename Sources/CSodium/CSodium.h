// SPDX-License-Identifier: Apache-2.0

// The part of libsodium that Cascade uses. libzmq loads the library already.

#include <sodium/crypto_hash_sha256.h>
