// SPDX-License-Identifier: Apache-2.0

import Testing

/// The daemon's reactions to faults and bad input, tested with real processes. Each
/// test also expects that other nodes are served as before.
@Suite(.serialized, .timeLimit(.minutes(2))) enum Faults {}
