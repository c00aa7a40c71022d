// SPDX-License-Identifier: Apache-2.0

/// A checked value of a setting.
package enum SettingValue: Hashable, Sendable {
    case number(UInt32)
    case text(String)
    case list([String])
    case flag(Bool)
    /// An optional text without a value.
    case none
}
