// SPDX-License-Identifier: Apache-2.0

/// A key of the environment: what its values are, and what is read where nobody has set one.
///
///     struct PaperSizeKey: EnvironmentKey {
///         static let defaultValue = PaperSize.a4
///     }
///
///     extension EnvironmentValues {
///         var paperSize: PaperSize {
///             get { self[PaperSizeKey.self] }
///             set { self[PaperSizeKey.self] = newValue }
///         }
///     }
///
/// On the bus a value is the JSON of its Codable form, so that programs in any language, rules and
/// people can read and set it.
public protocol EnvironmentKey: SendableMetatype {
    associatedtype Value: Codable & Sendable & Equatable

    /// What is read where there is no value, or one that is none of this type.
    static var defaultValue: Value { get }

    /// What the key is called on the bus; unless said otherwise, the type's name without `Key`
    /// behind it and with a small first letter: `paperSize` for `PaperSizeKey`.
    static var name: String { get }
}

extension EnvironmentKey {
    public static var name: String {
        KeyName.standard(for: Self.self)
    }
}
