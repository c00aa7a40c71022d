// SPDX-License-Identifier: Apache-2.0

package import Logging
import Synchronization

/// From which level on the daemon logs; one for all its loggers, so that a reload changes it in
/// all of them.
package final class LogLevel: Sendable {
    package static let standard = Logger.Level.info.rawValue
    package static let names = Logger.Level.allCases.map(\.rawValue)

    private let index: Atomic<Int>

    package init(_ level: Logger.Level) {
        index = Atomic(Self.index(of: level))
    }

    package var current: Logger.Level {
        get { Logger.Level.allCases[index.load(ordering: .relaxed)] }
        set { index.store(Self.index(of: newValue), ordering: .relaxed) }
    }

    private static func index(of level: Logger.Level) -> Int {
        Logger.Level.allCases.firstIndex(of: level) ?? 0
    }
}
