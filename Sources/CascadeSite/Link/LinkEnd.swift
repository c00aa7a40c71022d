// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// The violation of the link's format by the other side. It ends the link.
package enum LinkFault: Error, Equatable, Sendable {
    /// The message ends too early, or has no frame.
    case truncated(byteCount: Int)
    case unknownControl(UInt8)
    case frameTooLong(byteCount: Int, maximum: Int)
    /// Several frames share a message that is larger than such a message may be.
    case messageTooLong(byteCount: Int)
    /// The acknowledgement of a message that was never sent.
    case acknowledgedBeyondEnd(taken: UInt64, last: UInt64)
    /// More unacknowledged bytes than the window allows.
    case windowOverrun(byteCount: Int, window: Int)
    /// A greeting that is not a valid message of the protocol.
    case malformedGreeting(String)
}

extension LinkFault: CustomStringConvertible {
    package var description: String {
        switch self {
        case .truncated(let byteCount):
            "a link message of \(byteCount) bytes ends too early"
        case .unknownControl(let code):
            "the control \(code) is unknown or has another length"
        case .frameTooLong(let byteCount, let maximum):
            "a frame of \(byteCount) bytes exceeds the maximum of \(maximum)"
        case .messageTooLong(let byteCount):
            "several frames share a message of \(byteCount) bytes, more than "
                + "\(LinkMessage.sharedByteCountMax)"
        case .acknowledgedBeyondEnd(let taken, let last):
            "the sequence \(taken) is acknowledged, but the last one sent is \(last)"
        case .windowOverrun(let byteCount, let window):
            "\(byteCount) bytes are unacknowledged, more than the window of \(window)"
        case .malformedGreeting(let reason):
            "a greeting is malformed: \(reason)"
        }
    }
}

/// Why a link has ended.
package enum LinkEnd: Equatable, Sendable {
    /// No message of the other side has come for the patience.
    case silent(Duration)
    /// The other side has ended the link, for this reason. The text is the peer's and may be hostile.
    case closedByPeer(String)
    /// This side has ended the link, for this reason.
    case closed(String)
    /// The other side has violated the format.
    case fault(LinkFault)
    /// The gate has not answered the opening in time.
    case unanswered(Duration)
    /// No gate listens on the subject of the opening.
    case noGate
}

extension LinkEnd: CustomStringConvertible {
    package var description: String {
        switch self {
        case .silent(let patience): "the other side was silent for \(patience)"
        case .closedByPeer(let reason):
            "the other side closed the link: \(reason.escapedForDisplay(limit: 512))"
        case .closed(let reason): reason
        case .fault(let fault): "the other side violated the link's format: \(fault)"
        case .unanswered(let time): "the gate has not answered within \(time)"
        case .noGate: "no gate listens: the parent's cascade-site does not run"
        }
    }
}
