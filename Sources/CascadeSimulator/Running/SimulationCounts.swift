// SPDX-License-Identifier: Apache-2.0

/// How often what happened in a run.
package struct SimulationCounts: Sendable {
    /// What is done to the bus, and what comes of it.
    package enum Work: Int, CaseIterable, Sendable {
        case raised, report, request, cascade, publication, emit, held, retained, retry, cancelled,
            durable, accepted
        case sentAgain, resumed
        case changed, left, leftWhole, activated, moved, drained, detached
        case set, setFromOutside, query
        case outcome, visit, redelivery, environmentChange, limitReached, message
    }

    /// What breaks.
    package enum Fault: Int, CaseIterable, Sendable {
        /// A process is killed between two messages; or before it does an effect that was due.
        case processCrash, processCrashMidway
        case processStop
        /// A process gets the number that another one had.
        case reusedProcessID
        /// A child of a killed process keeps its connection open.
        case keptSocket
        case brokenConnection
        /// Messages that had been taken do not arrive: the last ones, or some before the last.
        case tailLoss, middleLoss
        /// Nothing that is sent on a new connection arrives, and nobody is told.
        case blackHole
        /// libzmq connects again by itself: the rest of the conversation comes from a stranger.
        case strangerConnection
        /// The daemon hears of an end after the process has come back.
        case lateDisconnect
        /// A connection gets the number that another one had.
        case reusedPeer
        case refusedSend
        /// Nothing gets through between the daemon and a process for a time; then all does.
        case partition
        case daemonCrash, daemonCrashMidway, daemonEnd, daemonStop
        /// The journal cannot write what it was given.
        case journalFault
    }

    private var work = [Int](repeating: 0, count: Work.allCases.count)
    private var faults = [Int](repeating: 0, count: Fault.allCases.count)

    package init() {}

    package subscript(work: Work) -> Int {
        get { self.work[work.rawValue] }
        set { self.work[work.rawValue] = newValue }
    }

    package subscript(fault: Fault) -> Int {
        get { faults[fault.rawValue] }
        set { faults[fault.rawValue] = newValue }
    }

    package var faultCount: Int {
        faults.reduce(0, +)
    }

    package static func += (total: inout SimulationCounts, run: SimulationCounts) {
        for kind in Work.allCases {
            total[kind] += run[kind]
        }
        for kind in Fault.allCases {
            total[kind] += run[kind]
        }
    }
}
