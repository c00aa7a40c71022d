// SPDX-License-Identifier: Apache-2.0

typealias KeptMessageIndex = Slab<KeptMessage>.Index

/// The message of a publication that is retained: kept for subscribers to come, while deliveries of
/// it may be under way.
struct KeptMessage: Sendable {
    var payload: Payload
    /// The value itself, as long as it stands, and each publication of it under way.
    var references: Int

    init(_ payload: Payload) {
        self.payload = payload
        references = 1
    }
}
