// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// A responder at a node: one place where an event can stop on its way.
struct Stop: Equatable, Sendable {
    var node: NodeIndex
    var responder: UInt16
    var kind: ResponderKind
}
