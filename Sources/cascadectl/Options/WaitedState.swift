// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Cascade

/// What a node can be waited for to be.
enum WaitedState: String, ExpressibleByArgument, CaseIterable {
    case live
    /// Without a process, whether or not its place is still kept.
    case vacant
    /// The end of its place: its grace time is over, and nothing stands below it.
    case gone
    case inactive

    /// - Parameter state: the node's; `nil` if there is none.
    func isReached(by state: NodeState?) -> Bool {
        switch self {
        case .live: state == .live
        case .inactive: state == .inactive
        case .vacant: state == nil || state == .vacant
        case .gone: state == nil
        }
    }
}
