// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// Publications that may come to a subscriber for the second time.
extension Broker {
    /// Who was lost with the publication before it accepted may have begun all the same. If it
    /// comes there again, it says so.
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
