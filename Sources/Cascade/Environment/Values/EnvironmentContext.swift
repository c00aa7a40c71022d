// SPDX-License-Identifier: Apache-2.0

/// Where values of the environment come from. It never changes; values that differ have another.
final class EnvironmentContext: Sendable {
    /// `nil` outside any node.
    let surroundings: NodeSurroundings?
    private let environment: NodeEnvironment?
    /// What is being answered; `nil` in a node's task.
    let visit: VisitContext?
    /// `nil` where nothing differs from what the node reads.
    let scratch: EnvironmentScratch?

    init(
        surroundings: NodeSurroundings? = nil, visit: VisitContext? = nil,
        scratch: EnvironmentScratch? = nil
    ) {
        self.surroundings = surroundings
        environment = surroundings?.environment
        self.visit = visit
        self.scratch = scratch
    }

    func with(_ scratch: EnvironmentScratch) -> EnvironmentContext {
        EnvironmentContext(surroundings: surroundings, visit: visit, scratch: scratch)
    }

    /// The box of the value that is read under a key, if there is one at hand.
    func box(of id: ObjectIdentifier) -> (any AnyObject & Sendable)? {
        if let scratch {
            if let box = scratch.box(of: id) {
                return box
            }
            guard scratch.isOpen else {
                return nil
            }
        }
        return environment?.box(of: id)
    }
}
