// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The user's folders according to the XDG base directory specification.
enum UserFolders {
    /// The configuration folder of the user's daemon.
    static var configuration: String? {
        folder("XDG_CONFIG_HOME", belowHome: ".config")
    }

    /// The default state directory of the user's daemon.
    static var state: String? {
        folder("XDG_STATE_HOME", belowHome: ".local/state")
    }

    /// Creates a folder and those above it, with mode 0700. Returns the system's reason if that
    /// fails.
    static func create(_ path: String) -> String? {
        var parent = ""
        for name in path.split(separator: "/") {
            parent += "/\(name)"
            if mkdir(parent, 0o700) != 0, errno != EEXIST {
                // A folder that exists may also refuse with EROFS or EACCES.
                let reason = String(cString: strerror(errno))
                guard access(parent, F_OK) == 0 else {
                    return "cannot create \(parent): \(reason)"
                }
            }
        }
        guard access(path, W_OK) == 0 else {
            return "cannot write to \(path): \(String(cString: strerror(errno)))"
        }
        return nil
    }

    /// Cascade's folder in the folder of a variable, or else in a folder of the user's home. Relative
    /// paths do not count.
    private static func folder(_ variable: String, belowHome name: String) -> String? {
        let home = value(of: "HOME").map { "\($0)/\(name)" }
        return (value(of: variable) ?? home).map { $0 + "/cascade" }
    }

    private static func value(of variable: String) -> String? {
        getenv(variable).map { String(cString: $0) }.flatMap { $0.hasPrefix("/") ? $0 : nil }
    }
}
