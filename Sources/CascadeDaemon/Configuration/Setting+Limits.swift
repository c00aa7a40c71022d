// SPDX-License-Identifier: Apache-2.0

import CascadeBroker

extension Setting {
    /// The limits of the bus, as settings.
    static let limits = Limit.all.map { limit in
        Setting(
            "limits.\(limit.name)", .number(\.[limit], limit.range), unit: limit.unit,
            limit.takesRestart ? .atRestart : .atReload, limit.meaning)
    }
}

extension DaemonOptions {
    fileprivate subscript(limit: Limit) -> UInt32 {
        get { limits[keyPath: limit.member] }
        set { limits[keyPath: limit.member] = newValue }
    }
}
