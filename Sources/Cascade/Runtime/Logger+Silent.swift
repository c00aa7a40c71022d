// SPDX-License-Identifier: Apache-2.0

package import Logging

extension Logger {
    /// A logger without output.
    package static let silent = Logger(label: "silent") { _ in SwiftLogNoOpLogHandler() }
}
