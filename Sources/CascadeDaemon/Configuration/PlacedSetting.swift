// SPDX-License-Identifier: Apache-2.0

/// A key, its unchecked value, and their origin.
package struct PlacedSetting: Hashable, Sendable {
    /// Section and name, separated by a dot: `limits.nodes`.
    package let key: String
    package let value: RawSetting
    package let origin: SettingOrigin

    package init(_ key: String, _ value: RawSetting, _ origin: SettingOrigin) {
        self.key = key
        self.value = value
        self.origin = origin
    }
}
