// SPDX-License-Identifier: Apache-2.0

/// Where a setting's value was said.
package enum SettingOrigin: Hashable, Sendable, CustomStringConvertible {
    /// Nowhere: the daemon's own default.
    case compiledIn
    case file(String, line: Int, column: Int)
    /// A variable of the environment.
    case variable(String)
    /// A flag of the command line, with its dashes.
    case flag(String)

    package var description: String {
        switch self {
        case .compiledIn: "default"
        case .file(let path, let line, let column): "\(path):\(line):\(column)"
        case .variable(let name): name
        case .flag(let name): name
        }
    }
}
