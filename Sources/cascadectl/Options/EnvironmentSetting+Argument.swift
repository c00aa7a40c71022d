// SPDX-License-Identifier: Apache-2.0

import Cascade

extension EnvironmentSetting {
    /// Parses `KEY=JSON`. Throws ``Stop`` if it is invalid.
    init(argument: String, isForItself: Bool = false, isSticky: Bool = false) throws {
        let parsed = try KeyAndValue(argument)
        self.init(parsed.key, parsed.json, isForItself: isForItself, isSticky: isSticky)
    }
}
