// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Glibc

/// The conditions for coloured text.
enum ColorChoice: String, ExpressibleByArgument, CaseIterable {
    case auto
    case always
    case never

    /// Whether text is coloured. The default is a terminal, unless the environment overrides it
    /// (no-color.org, bixense.com/clicolors).
    var isColoured: Bool {
        switch self {
        case .always: true
        case .never: false
        case .auto:
            if isSet("NO_COLOR") {
                false
            } else if isSet("CLICOLOR_FORCE") {
                true
            } else {
                isatty(STDOUT_FILENO) == 1 && variable("TERM") != "dumb"
            }
        }
    }

    private func isSet(_ name: String) -> Bool {
        let value = variable(name) ?? ""
        return !value.isEmpty && (name == "NO_COLOR" || value != "0")
    }

    private func variable(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }
    }
}
