// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// The recipients of a publication: how each of them ends, and which may have had it before.
extension Broker {
    mutating func answered(_ publication: PublicationIndex, _ answer: Answer, by node: NodeIndex) {
        switch answer.code {
        case .handled:
            break
        case .failed:
            failed(publication, answer.failure ?? Failure(.responderFailed), at: node)
        case .passed, .replaced, .answered:
            failed(
                publication,
                Failure(.badVerdict, message: "a subscriber cannot pass or replace"), at: node)
        }
        recipientEnded(publication)
    }

    /// A subscriber that is lost before it accepted is replaced by the next choice.
    mutating func lost(_ publication: PublicationIndex, at node: NodeIndex, wasAccepted: Bool) {
        if wasAccepted {
            let message = "the subscriber was lost after it had accepted the publication"
            failed(publication, Failure(.nodeLost, message: message), at: node)
        } else {
            withdraw(publication, from: node)
            if traffic.publications[publication].recipients.isEmpty,
                traffic.publications[publication].failure == nil,
                !traffic.publications[publication].isGiven
            {
                _ = traffic.publications[publication].removePending()
                deliver(publication)
                return
            }
        }
        recipientEnded(publication)
    }

    mutating func recipientEnded(_ publication: PublicationIndex) {
        if traffic.publications[publication].removePending() {
            settle(publication)
        }
    }

    /// The first failure becomes the publication's; of the others, the places are reported.
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

    // MARK: - Redelivery

    /// A node that was lost with the publication before it accepted it may have begun all the same.
    /// The next delivery to it is marked as sent again.
    mutating func markSentAgain(_ publication: PublicationIndex, to recipients: [NodeIndex]) {
        let lostAt = traffic.publications[publication].lostAt
        if recipients.contains(where: lostAt.contains) {
            markSentAgain(publication)
        }
    }

    /// Marks the publication as redelivered: subscribers that get it from now on may have had it
    /// before.
    mutating func markSentAgain(_ publication: PublicationIndex) {
        traffic.publications[publication].markSentAgain()
    }
}
