// SPDX-License-Identifier: Apache-2.0

/// A setting's value, found right.
package enum SettingValue: Hashable, Sendable {
    case number(UInt32)
    case text(String)
    case list([String])
    case flag(Bool)
    /// An optional text that is not there.
    case none
}
