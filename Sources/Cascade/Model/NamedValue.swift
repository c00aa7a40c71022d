// SPDX-License-Identifier: Apache-2.0

/// A value with a name on the bus: an event, an error or a request.
///
/// Its payload is the JSON of its Codable form, so programs in any language can read it.
public protocol NamedValue: Codable, Sendable {
    /// The name of the value on the bus; by default, the name of its type. Declare it if the name
    /// must survive a renaming of the type.
    static var name: String { get }
}

extension NamedValue {
    public static var name: String {
        String(describing: Self.self)
    }
}
