// SPDX-License-Identifier: Apache-2.0

// libnats, and the part of libsodium that makes the keys of NATS users.

#ifndef CNATS_H
#define CNATS_H

#include <nats/nats.h>
#include <sodium/crypto_sign_ed25519.h>

#endif
