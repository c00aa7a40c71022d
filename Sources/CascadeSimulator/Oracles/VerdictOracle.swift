// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import CascadeWire

/// A node answers what it was handed once, as long as it stands: a publication comes under the same
/// number again when its recipient stands anew.
struct VerdictOracle {
    private struct Answer: Hashable {
        var peer: PeerID
        var id: UInt64
        var node: UInt32
    }

    private var answers: Set<Answer> = []

    /// Nodes are no longer in the tree.
    mutating func forget(_ nodes: [UInt32]) {
        answers = answers.filter { !nodes.contains($0.node) }
    }

    mutating func answered(_ header: Header, by peer: PeerID) -> Finding? {
        let answer = Answer(peer: peer, id: header.id, node: header.node)
        return answers.insert(answer).inserted
            ? nil : Finding("verdict", "the delivery \(header.id) is answered twice")
    }
}
