// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CascadeDaemon

extension ArgumentHelp {
    /// Returns the help of the flag of a ``CascadeDaemon/Setting``.
    static func of(_ key: String) -> ArgumentHelp {
        let setting = Setting.of(key)
        let value = setting.text(setting.value(in: DaemonOptions()))
        let hasDefault = !value.isEmpty && value != "[]"
        return ArgumentHelp(
            stringLiteral: setting.meaning + (hasDefault ? " (default: \(value))" : "")
        ).named(setting.placeholder)
    }

    /// The help of `--limit`, which lists all limits.
    static var ofLimits: ArgumentHelp {
        let limits = Setting.all.filter(\.isLimit).map { setting in
            let value = setting.text(setting.value(in: DaemonOptions()))
            return "\(setting.components[1]) (\(value))"
        }
        return ArgumentHelp(
            stringLiteral: "Limit of the bus; may be repeated. The limits are "
                + limits.joined(separator: ", ") + "."
        ).named("name=number")
    }

    private func named(_ valueName: String) -> ArgumentHelp {
        var help = self
        help.valueName = valueName
        return help
    }
}
