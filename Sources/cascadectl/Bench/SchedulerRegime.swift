// SPDX-License-Identifier: Apache-2.0

import CLinux

/// The processors between which the scheduler may move a benchmark's processes: its figures depend on
/// whether a wake-up crosses from one processor to another.
enum SchedulerRegime: Equatable, CustomStringConvertible {
    case oneProcessor
    case free(processorCount: Int)

    /// The regime of this process, which its children inherit (sched_getaffinity(2)).
    static var current: SchedulerRegime {
        SchedulerRegime(processorCount: Int(cascade_processor_count()))
    }

    init(processorCount: Int) {
        self = processorCount > 1 ? .free(processorCount: processorCount) : .oneProcessor
    }

    var description: String {
        switch self {
        case .oneProcessor: "one processor"
        case .free(let processorCount): "free, \(processorCount) processors"
        }
    }
}
