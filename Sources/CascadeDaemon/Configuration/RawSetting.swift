// SPDX-License-Identifier: Apache-2.0

/// A setting's value as it was written, before anybody knows whether it is right.
package enum RawSetting: Hashable, Sendable {
    /// Nothing is written behind the key.
    case empty
    case scalar(String)
    case list([String])
}
