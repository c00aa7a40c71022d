// SPDX-License-Identifier: Apache-2.0

/// A request to the nodes above, to which the first responder with an answer replies.
///
///     struct PriceOf: Request {
///         typealias Reply = Int
///         let item: Int
///     }
public protocol Request: NamedValue {
    /// The type of the reply.
    associatedtype Reply: Codable & Sendable
}
