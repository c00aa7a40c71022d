// SPDX-License-Identifier: Apache-2.0

import Testing

/// The contract with scripts: exit codes, documents and lines of `cascadectl`, with a real daemon.
@Suite(.serialized, .timeLimit(.minutes(2))) enum CommandLineContract {}
