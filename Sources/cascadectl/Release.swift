// SPDX-License-Identifier: Apache-2.0

/// The release of the command line.
enum Release {
    static let name = "cascadectl 0.1.0"
}
