// SPDX-License-Identifier: Apache-2.0

/// Counts of the kinds of work and of faults in a run.
package struct SimulationCounts: Sendable {
    /// The workload, and its results.
    package enum Work: Int, CaseIterable, Sendable {
        case raised, report, request, cascade, publication, emit, held, retained, retry, cancelled,
            durable, accepted
        case sentAgain, resumed
        /// A session waits for the place of a process that has exited.
        case postponed
        case changed, left, leftWhole, activated, moved, drained, detached
        case set, setFromOutside, query
        case outcome, visit, redelivery, environmentChange, limitReached, message
    }

    /// The faults.
    package enum Fault: Int, CaseIterable, Sendable {
        /// A process is killed between two messages; or between two effects of one.
        case processCrash, processCrashMidway
        case processStop
        /// A process gets the process ID of a former one.
        case reusedProcessID
        /// A child of a killed process keeps its connection open.
        case keptSocket
        case brokenConnection
        /// Sent messages are lost: the last ones, or some before the last.
        case tailLoss, middleLoss
        /// All messages of a new connection are lost without an error.
        case blackHole
        /// libzmq reconnects by itself: the rest of the conversation arrives from an unknown peer.
        case strangerConnection
        /// The daemon detects the end of a connection after the process has reconnected.
        case lateDisconnect
        /// A peer gets the number of a former one.
        case reusedPeer
        case refusedSend
        /// All messages between the daemon and a process are delayed for a time.
        case partition
        case daemonCrash, daemonCrashMidway, daemonEnd, daemonStop
        /// The journal cannot write its entries.
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

    package static func += (total: inout SimulationCounts, run: SimulationCounts) {
        for kind in Work.allCases {
            total[kind] += run[kind]
        }
        for kind in Fault.allCases {
            total[kind] += run[kind]
        }
    }
}
