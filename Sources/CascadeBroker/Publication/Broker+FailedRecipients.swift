// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// The recipients of a publication that do not take it to its end.
extension Broker {
    /// The first failure is the publication's; of the others their places are told.
    mutating func failed(_ publication: PublicationIndex, _ failure: Failure, at node: NodeIndex) {
        var failure = failure
        let path = hierarchy.path(of: node)
        failure.node = path
        traffic.publications[publication].fail(failure, at: path)
        withdraw(publication, from: node)
    }

    mutating func withdraw(_ publication: PublicationIndex, from node: NodeIndex) {
        if traffic.publications[publication].remove(node) {
            unpinNode(node)
        }
    }
}
