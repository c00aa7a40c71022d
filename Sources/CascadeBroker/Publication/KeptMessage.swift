// SPDX-License-Identifier: Apache-2.0

typealias KeptMessageIndex = Slab<KeptMessage>.Index

/// The message of a publication that is retained: kept for subscribers to come, while deliveries of
/// it may be under way, each of which needs a header of its own.
struct KeptMessage: Sendable {
    var payload: PayloadID
    /// The value itself, as long as it stands, and each publication of it under way.
    var references: Int
    /// The publication whose header it has now; 0 for none.
    var stampedFor: UInt64 = 0
    /// Whether it may still be queued with that header.
    var isForwarded = false

    init(_ payload: PayloadID) {
        self.payload = payload
        references = 1
    }
}
