// SPDX-License-Identifier: Apache-2.0

import CascadeJSON
import CascadeWire

/// What somebody wants to set and to be told, checked and read: nothing can fail any more.
struct PreparedAssignments {
    struct Setting {
        let key: UInt32
        /// `nil` to take back what was set.
        let value: KeyValue?
        let isForItself: Bool
        let isSticky: Bool
    }

    struct Offer {
        let key: UInt32
        /// `nil` to take back what was offered.
        let value: JSONValue?
        let reducer: PreferenceReducer
    }

    var settings: [Setting] = []
    var offers: [Offer] = []
    var watchedKeys: [UInt32] = []
    var watchedPreferences: [UInt32] = []
    var model: RuleModel?
}
