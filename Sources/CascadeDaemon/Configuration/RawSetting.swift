// SPDX-License-Identifier: Apache-2.0

/// The unchecked value of a setting.
package enum RawSetting: Hashable, Sendable {
    /// The key has no value.
    case empty
    case scalar(String)
    case list([String])
}
