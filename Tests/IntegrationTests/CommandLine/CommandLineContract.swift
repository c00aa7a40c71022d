// SPDX-License-Identifier: Apache-2.0

import Testing

/// What scripts rely on: exit codes, documents and lines of `cascadectl`, against a real daemon.
@Suite(.serialized, .timeLimit(.minutes(2))) enum CommandLineContract {}
