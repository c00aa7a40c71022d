// SPDX-License-Identifier: Apache-2.0

// The shim is header-only; SwiftPM wants one source file in a C target.
#include "CZeroMQ.h"
