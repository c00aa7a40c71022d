// SPDX-License-Identifier: Apache-2.0

public import Cascade

/// What stands on a bus in memory as a process of its own would: nodes with one session, attached
/// and lost together.
public struct LoopbackProcess: Sendable {
    let mount: NodePath
    let nodes: [Node]

    /// A process that holds these nodes, below `mount`.
    public init(mount: NodePath = .root, @NodeBuilder nodes: () -> [Node]) {
        self.mount = mount
        self.nodes = nodes()
    }

    /// The process that a worker would be.
    public init<W: Worker>(_ worker: W) {
        mount = W.mount
        nodes = worker.nodes
    }
}
