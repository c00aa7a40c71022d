// SPDX-License-Identifier: Apache-2.0

import CascadeWire

extension RepeatingQueries {
    /// What a query is answered again for.
    enum Cause: Sendable {
        case bus, tree, time

        init(_ subject: Query.Subject) {
            switch subject {
            case .treeChanges: self = .tree
            case .activity: self = .time
            default: self = .bus
            }
        }
    }

    /// When the queries of one cause are answered.
    struct Schedule: Sendable {
        /// The version with which answers were begun last.
        var answeredVersion: UInt64 = 0
        /// Whether a query waits for its next answer although nothing has changed since.
        var isAnyDue = false
        var count = 0
        /// When they are answered next, and were last.
        var next = DeadlineQueue.none
        var last: Instant?

        /// Whether any is to be answered again, if what it is answered for has this version.
        @inline(__always)
        func needsAnswers(_ version: UInt64) -> Bool {
            count > 0 && (isAnyDue || answeredVersion != version)
        }
    }

    /// The schedules of all causes.
    struct Schedules: Sendable {
        var bus = Schedule()
        var tree = Schedule()
        var time = Schedule()

        subscript(cause: Cause) -> Schedule {
            _read {
                switch cause {
                case .bus: yield bus
                case .tree: yield tree
                case .time: yield time
                }
            }
            _modify {
                switch cause {
                case .bus: yield &bus
                case .tree: yield &tree
                case .time: yield &time
                }
            }
        }
    }
}
