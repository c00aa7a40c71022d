// SPDX-License-Identifier: Apache-2.0

// The parts of libsodium that Cascade uses. libzmq depends on the library too.

#include <sodium/crypto_hash_sha256.h>
#include <sodium/crypto_sign_ed25519.h>
#include <sodium/utils.h>
