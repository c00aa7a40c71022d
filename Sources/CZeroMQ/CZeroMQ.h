// SPDX-License-Identifier: Apache-2.0

// libzmq, and constants that Swift does not import from its header.

#ifndef CZEROMQ_H
#define CZEROMQ_H

#include <zmq.h>

// libzmq's own error number. Swift does not import its macro, which is computed from another macro.
static const int32_t cascade_eterm = ETERM;

// Draft options that Debian's header hides, and that the library obeys by number.
static const int32_t cascade_zap_enforce_domain = 93;
static const int32_t cascade_zero_copy_receive = 10;

#endif
