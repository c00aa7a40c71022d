// SPDX-License-Identifier: Apache-2.0

import CascadeSession
import CascadeWire

extension WireMessage where Self == Attached {
    /// The answer to an attach, with the nodes numbered from 1.
    static func attached(_ nodes: [NodeDeclaration], request: UInt64) -> Attached {
        Attached(
            request: request,
            nodes: nodes.enumerated().map { place, node in
                Attached.Node(path: node.path, number: UInt32(place + 1))
            })
    }

    /// The answer to the attach that a session sends by itself after a reconnect.
    static func reattached(_ nodes: NodeDeclaration...) -> Attached {
        attached(nodes, request: .max)
    }
}

extension WireMessage where Self == Detached {
    static func takenOver(_ path: NodePath, node: UInt32) -> Detached {
        Detached(node: node, path: path, reason: .takenOver, sentence: "")
    }
}

extension WireMessage where Self == OutcomeMessage {
    static func handled(_ sequence: UInt64) -> OutcomeMessage {
        OutcomeMessage(sequence: sequence, code: .handled)
    }
}
