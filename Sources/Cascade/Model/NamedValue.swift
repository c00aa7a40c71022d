// SPDX-License-Identifier: Apache-2.0

/// A value that goes by a name on the bus: an event, an error or a request.
///
/// Its payload is the JSON of its Codable form, so that programs in any language can read it.
public protocol NamedValue: Codable, Sendable {
    /// What the value is called on the bus; the type's own name unless said otherwise. Say so where
    /// the name has to outlive the type's.
    static var name: String { get }
}

extension NamedValue {
    public static var name: String {
        String(describing: Self.self)
    }
}
