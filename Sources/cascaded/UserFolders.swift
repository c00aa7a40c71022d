// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The user's folders, as the XDG base directory specification has them.
enum UserFolders {
    static var runtime: String? {
        variable("XDG_RUNTIME_DIR")
    }

    /// Where the user's daemon is configured.
    static var configuration: String? {
        let base = variable("XDG_CONFIG_HOME") ?? variable("HOME").map { $0 + "/.config" }
        return base.map { $0 + "/cascade" }
    }

    private static func variable(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
    }
}
