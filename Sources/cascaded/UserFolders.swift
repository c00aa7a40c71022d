// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The user's folders according to the XDG base directory specification.
enum UserFolders {
    static var runtime: String? {
        variable("XDG_RUNTIME_DIR")
    }

    /// The configuration folder of the user's daemon.
    static var configuration: String? {
        let base = variable("XDG_CONFIG_HOME") ?? variable("HOME").map { $0 + "/.config" }
        return base.map { $0 + "/cascade" }
    }

    private static func variable(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
    }
}
