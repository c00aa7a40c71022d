// SPDX-License-Identifier: Apache-2.0

package import Logging

extension Logger {
    /// Tells nobody.
    package static let silent = Logger(label: "silent") { _ in SwiftLogNoOpLogHandler() }
}
