// SPDX-License-Identifier: Apache-2.0

/// The release of the daemon.
enum Release {
    static let name = "cascaded 0.1.0"
}
