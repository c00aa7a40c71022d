// SPDX-License-Identifier: Apache-2.0

import Cascade

extension EnvironmentSetting {
    /// Reads `KEY=JSON`. Throws ``Stop`` where it is none.
    init(argument: String, isForItself: Bool = false, isSticky: Bool = false) throws {
        let parsed = try KeyAndValue(argument)
        self.init(parsed.key, parsed.json, isForItself: isForItself, isSticky: isSticky)
    }
}
