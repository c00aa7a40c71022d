// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The selection of a bus without an explicit endpoint.
public enum BusEndpoint {
    /// The endpoint in `CASCADE_BUS`; otherwise the user's bus, if its socket exists; otherwise the
    /// system's bus.
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
