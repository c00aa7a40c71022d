// SPDX-License-Identifier: Apache-2.0

import Testing

/// What the documents say, tried with the real programs. One test after another: those that wait for
/// the thread of the real processes spend their time limit.
@Suite(.serialized, .timeLimit(.minutes(2))) enum Documented {}
