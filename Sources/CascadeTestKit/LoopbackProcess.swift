// SPDX-License-Identifier: Apache-2.0

public import Cascade

/// A process for a bus in memory: nodes with one session, which are attached and lost together.
public struct LoopbackProcess: Sendable {
    let mount: NodePath
    let nodes: [Node]

    /// Creates a process that holds these nodes, below `mount`.
    public init(mount: NodePath = .root, @NodeBuilder nodes: () -> [Node]) {
        self.mount = mount
        self.nodes = nodes()
    }

    /// Creates the process of a worker.
    public init<W: Worker>(_ worker: W) {
        mount = W.mount
        nodes = worker.nodes
    }
}
