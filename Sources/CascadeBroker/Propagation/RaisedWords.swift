// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// What few triggers and publications have to say beside their headers. The others, and their
/// records, have only the reference.
final class RaisedWords: Sendable {
    let raised: Raised

    init(_ raised: Raised) {
        self.raised = raised
    }
}
