// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Cascade

/// What a node can be waited for to be.
enum WaitedState: String, ExpressibleByArgument, CaseIterable {
    case live
    /// Not there, or without a process.
    case gone
    case inactive

    /// - Parameter state: the node's; `nil` if there is none.
    func isReached(by state: NodeState?) -> Bool {
        switch self {
        case .live: state == .live
        case .inactive: state == .inactive
        case .gone: state == nil || state == .vacant
        }
    }
}
