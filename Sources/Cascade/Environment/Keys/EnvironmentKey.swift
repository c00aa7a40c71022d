// SPDX-License-Identifier: Apache-2.0

/// A key of the environment, with the type of its values and their default.
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
/// On the bus a value is the JSON of its Codable form, so that rules, people, and programs in any
/// language can read and set it.
public protocol EnvironmentKey: SendableMetatype {
    associatedtype Value: Codable & Sendable & Equatable

    /// The value that is read if none is set, or if the value on the bus cannot be decoded as
    /// `Value`.
    static var defaultValue: Value { get }

    /// The name of the key on the bus. By default, the type's name without the suffix `Key` and
    /// with a lowercase first letter: `paperSize` for `PaperSizeKey`.
    static var name: String { get }
}

extension EnvironmentKey {
    public static var name: String {
        KeyName.standard(for: Self.self)
    }
}
