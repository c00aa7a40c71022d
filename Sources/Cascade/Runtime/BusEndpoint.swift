// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Which bus to talk to when nobody says.
public enum BusEndpoint {
    /// The bus that `CASCADE_BUS` names; else the user's, if there is one; else the system's.
    public static var standard: String {
        if let named = variable("CASCADE_BUS"), !named.isEmpty {
            return named
        }
        if let directory = variable("XDG_RUNTIME_DIR") {
            let path = "\(directory)/cascade/bus.sock"
            if access(path, F_OK) == 0 {
                return "ipc://\(path)"
            }
        }
        return "ipc:///run/cascade/bus.sock"
    }

    private static func variable(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }
    }
}
