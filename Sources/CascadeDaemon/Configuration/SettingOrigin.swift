// SPDX-License-Identifier: Apache-2.0

/// The origin of a setting's value.
package enum SettingOrigin: Hashable, Sendable, CustomStringConvertible {
    /// The daemon's default.
    case compiledIn
    case file(String, line: Int, column: Int)
    /// An environment variable.
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
