// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// Which of a node's two lists of declared names is meant.
enum DeclaredList: UInt8, Sendable {
    case triggers
    case reports

    /// The list that names what moves in `lane`.
    init(_ lane: Lane) {
        self = lane == .error ? .reports : .triggers
    }
}
