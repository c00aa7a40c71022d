// SPDX-License-Identifier: Apache-2.0

// libzmq, and constants that Swift does not import from its header.

#ifndef CZEROMQ_H
#define CZEROMQ_H

#include <zmq.h>

// The error of a terminated context. Swift does not import the macro, because it is an expression.
static const int32_t cascade_eterm = ETERM;

// Draft options that Debian's header omits, but the library supports.
static const int32_t cascade_zap_enforce_domain = 93;
static const int32_t cascade_zero_copy_receive = 10;

#endif
