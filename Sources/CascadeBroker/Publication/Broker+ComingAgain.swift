// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// Publications that may come to a subscriber for the second time.
extension Broker {
    /// Who was lost with the publication before it accepted may have begun all the same. If it
    /// comes there again, it says so.
    mutating func markSentAgain(_ publication: UInt32, to recipients: [UInt32]) {
        let lostAt = publications[publication].lostAt
        guard !publications[publication].flags.contains(.sentAgain),
            recipients.contains(where: lostAt.contains)
        else {
            return
        }
        publications[publication].flags.insert(.sentAgain)
        let message = publications[publication].keptMessage
        if message != Header.noNode {
            keptMessages[message].stampedFor = 0
        } else if publications[publication].isStamped {
            effects.append(.unshare(publications[publication].payload))
            publications[publication].isStamped = false
        }
    }
}
