// SPDX-License-Identifier: Apache-2.0

/// A question to the nodes above, that the first who knows answers with a value.
///
///     struct PriceOf: Request {
///         typealias Reply = Int
///         let item: Int
///     }
public protocol Request: NamedValue {
    /// What it is answered with.
    associatedtype Reply: Codable & Sendable
}
