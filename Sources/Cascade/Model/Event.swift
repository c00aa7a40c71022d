// SPDX-License-Identifier: Apache-2.0

/// A value that moves up the tree as an event, or down it as a publication.
///
/// Its payload is the JSON of its Codable form, so that programs in any language can read it.
public protocol Event: Codable, Sendable {
    /// What the event is called on the bus; the type's own name unless said otherwise. Say so where
    /// the name has to outlive the type's.
    static var name: String { get }
}

extension Event {
    public static var name: String {
        String(describing: Self.self)
    }
}
