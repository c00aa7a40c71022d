// SPDX-License-Identifier: Apache-2.0

import Testing

/// What the daemon does about faults and bad input, one after another, against the real thing. Each
/// test also sees that others are served as if nothing had happened.
@Suite(.serialized, .timeLimit(.minutes(2))) enum Faults {}
