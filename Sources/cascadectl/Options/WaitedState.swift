// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Cascade

/// The states for which `wait` waits.
enum WaitedState: String, ExpressibleByArgument, CaseIterable {
    case live
    /// No session holds the place, or the place has ended.
    case vacant
    /// The place has ended: its grace time is over, and there are no nodes below it.
    case gone
    case inactive

    /// - Parameter state: The node's state; `nil` if there is no node.
    func isReached(by state: NodeState?) -> Bool {
        switch self {
        case .live: state == .live
        case .inactive: state == .inactive
        case .vacant: state == nil || state == .vacant
        case .gone: state == nil
        }
    }
}
