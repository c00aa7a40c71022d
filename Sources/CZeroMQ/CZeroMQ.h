// SPDX-License-Identifier: Apache-2.0

// libzmq, and what its header does not give to Swift.

#ifndef CZEROMQ_H
#define CZEROMQ_H

#include <zmq.h>

// libzmq's own error number; its macro is arithmetic on another macro.
static const int32_t cascade_eterm = ETERM;

// Options that Debian's header hides as drafts, but that the library obeys by number.
static const int32_t cascade_zap_enforce_domain = 93;
static const int32_t cascade_zero_copy_receive = 10;

#endif
