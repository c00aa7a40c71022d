// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// Messages over the size limit: each is refused, and its session continues.
extension Broker {
    /// The longest message that is taken.
    package var messageByteCountMax: Int {
        Int(configuration.limits.messageBytes)
    }

    mutating func oversized(
        _ header: Header, byteCount: Int, from peer: PeerID
    ) throws(WireError) {
        let sentence =
            "the message has \(byteCount) bytes, "
            + "more than the limit messageBytes of \(messageByteCountMax)"
        switch header.command {
        case .trigger, .publish:
            guard try takeCredit(header, of: peer) else {
                return
            }
        case .verdict:
            // The event cannot continue with an oversized payload, but must not wait for it either.
            try failVerdict(header, sentence, by: peer)
            return
        default:
            break
        }
        throw WireError(.limitReached, sentence)
    }

    private mutating func failVerdict(
        _ header: Header, _ sentence: String, by peer: PeerID
    ) throws(WireError) {
        let message = Verdict(
            delivery: header.id, node: header.node, code: .failed, stop: header.index,
            nextAccepted: header.flags.contains(.nextAccepted), microseconds: header.time,
            failure: Failure(.limitReached, message: sentence)
        ).encoded()
        try answered(Header(parsing: message), by: peer, OwnedPayload(message))
    }
}
