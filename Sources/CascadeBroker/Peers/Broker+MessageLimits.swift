// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// Messages over a limit of one message: each is refused by its header, and its session continues.
extension Broker {
    /// The longest message that is taken.
    package var messageByteCountMax: Int {
        Int(configuration.limits.messageBytes)
    }

    @inline(__always)
    func checkByteCount(of payload: Payload) throws(WireError) {
        guard payload.count > messageByteCountMax else {
            return
        }
        throw WireError(
            .limitReached,
            "the message has \(payload.count) bytes, "
                + "more than the limit messageBytes of \(messageByteCountMax)")
    }

    /// Throws the error, with which the message is refused. A raised message takes its number and credit first, as
    /// one that is within the limits does: the refusal returns the credit.
    mutating func exceededLimit(
        _ error: WireError, _ header: Header, of peer: PeerID
    ) throws(WireError) {
        guard error.code.refusesOnlyTheRequest else {
            throw error
        }
        switch header.command {
        case .trigger, .publish:
            guard try takeCredit(header, of: peer) else {
                return
            }
        case .verdict:
            // The event cannot continue with a payload that is not read, but must not wait for it either.
            try failVerdict(header, error.description, by: peer)
            return
        default:
            break
        }
        throw error
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
