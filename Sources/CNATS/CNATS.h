// SPDX-License-Identifier: Apache-2.0

#ifndef CNATS_H
#define CNATS_H

#include <nats/nats.h>

#endif
