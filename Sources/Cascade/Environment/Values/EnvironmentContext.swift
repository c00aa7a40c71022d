// SPDX-License-Identifier: Apache-2.0

/// The immutable source of an environment's values.
final class EnvironmentContext: Sendable {
    /// `nil` outside any node.
    let surroundings: NodeSurroundings?
    private let environment: NodeEnvironment?
    /// The visit or delivery that is answered; `nil` in a node's task.
    let visit: VisitContext?
    /// `nil` if no value differs from those that the node reads.
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

    /// Returns the box of a key's value, or `nil` if the value is not in memory.
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
