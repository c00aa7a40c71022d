// SPDX-License-Identifier: Apache-2.0

import Testing

/// The examples of the documents, run with the real programs, one after another: tests that wait for
/// the thread of the real processes spend their time limit.
@Suite(.serialized, .timeLimit(.minutes(2))) enum Documented {}
