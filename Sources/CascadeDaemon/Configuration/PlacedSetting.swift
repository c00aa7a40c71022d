// SPDX-License-Identifier: Apache-2.0

/// A key and what was written for it, and where.
package struct PlacedSetting: Hashable, Sendable {
    /// Sections and names with dots between: `limits.nodes`.
    package let key: String
    package let value: RawSetting
    package let origin: SettingOrigin

    package init(_ key: String, _ value: RawSetting, _ origin: SettingOrigin) {
        self.key = key
        self.value = value
        self.origin = origin
    }
}
