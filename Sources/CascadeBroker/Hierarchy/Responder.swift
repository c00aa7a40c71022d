// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// One entry of a node's ordered list, as the broker matches it.
struct Responder: Equatable, Sendable {
    var kind: ResponderKind
    /// The number of the name it responds to; ``NameTable/none`` for every name.
    var name: UInt32
    /// Whether it is asked only where a predicate is true.
    var isConditional = false

    func matches(_ name: UInt32) -> Bool {
        self.name == NameTable.none || self.name == name
    }
}
