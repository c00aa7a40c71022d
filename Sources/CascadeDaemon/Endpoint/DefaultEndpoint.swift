// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The endpoints of a daemon without a configured one.
package enum DefaultEndpoint {
    /// The endpoint of the system's bus.
    package static let system = "ipc:///run/cascade/bus.sock"

    /// The endpoint of the user's own bus; `nil` without a runtime directory.
    package static var user: String? {
        guard let directory = getenv("XDG_RUNTIME_DIR") else {
            return nil
        }
        return "ipc://\(String(cString: directory))/cascade/bus.sock"
    }
}
