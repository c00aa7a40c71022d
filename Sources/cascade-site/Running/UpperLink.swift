// SPDX-License-Identifier: Apache-2.0

import CascadeSite

/// An event of a link to the parent.
enum UpperLinkEvent {
    case opened(LinkTerms)
    /// The link has ended, or was not opened: another attempt may succeed at once. Nothing was heard on it
    /// for the time of `silence`.
    case ended(String, silence: Duration = .zero)
    /// The parent or its server refuses the site. The second value is the gate's answer, `nil` without one.
    case refused(String, OpenRefusal? = nil)
    case frame(ArraySlice<UInt8>)
    /// A frame of the parent exceeds what a link can carry; this is its first part.
    case part([UInt8], byteCount: Int)
    /// The link has room again, after ``UpperLink/send(_:at:)`` has returned `false`.
    case hasRoom
}

/// A link to the parent, over a NATS server or by a connection to the parent's bus.
///
/// In each turn its owner calls ``turn(at:)``, sends, and calls ``flush(at:)``.
protocol UpperLink: AnyObject, EventSource {
    /// Counters for the metrics.
    var traffic: LinkTraffic { get }
    /// The time that a message and its answer take to the parent and back, as it is now; `nil` if it is not
    /// measured.
    var roundTrip: Duration? { get }

    /// Opens a link. ``UpperLinkEvent/opened(_:)``, `ended` or `refused` follows.
    func dial(at now: Duration)
    /// Sends a frame on the open link. Returns whether the link has room for another one; this one is sent in
    /// any case.
    func send(_ frame: [UInt8], at now: Duration) -> Bool
    /// Closes the link. No event of it follows.
    func close(_ reason: String, at now: Duration)
    func turn(at now: Duration) -> [UpperLinkEvent]
    func flush(at now: Duration)
    /// Sets whether the owner has no room for frames. Until it has, the link keeps them back, and its window
    /// fills.
    func setFull(_ isFull: Bool, at now: Duration)
    /// Waits for a short time until all is written, because the site ends.
    func finish()
}

/// What has passed a link, or the links of a gate.
struct LinkTraffic: Equatable, Sendable {
    var sentMessageCount: UInt64 = 0
    var sentByteCount: UInt64 = 0
    var receivedMessageCount: UInt64 = 0
    var receivedByteCount: UInt64 = 0
    /// Messages that had no effect: of earlier links, or beyond the size of the inbox.
    var ignoredCount: UInt64 = 0

    mutating func sent(_ byteCount: Int) {
        sentMessageCount += 1
        sentByteCount += UInt64(byteCount)
    }

    mutating func received(_ byteCount: Int) {
        receivedMessageCount += 1
        receivedByteCount += UInt64(byteCount)
    }
}
