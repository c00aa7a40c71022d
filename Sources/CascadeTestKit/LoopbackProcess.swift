// SPDX-License-Identifier: Apache-2.0

public import Cascade

/// A process of a bus in memory: nodes of one session, which are attached and lost together.
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

// MARK: - Builder

/// A builder of the processes of a bus in memory: workers, nodes, or processes of several nodes.
@resultBuilder
public enum ProcessBuilder {
    public static func buildExpression(_ worker: some Worker) -> [LoopbackProcess] {
        [LoopbackProcess(worker)]
    }

    /// Adds a process with a single node, below the root.
    public static func buildExpression(_ node: Node) -> [LoopbackProcess] {
        [LoopbackProcess { node }]
    }

    public static func buildExpression(
        _ convertible: some NodeConvertible
    ) -> [LoopbackProcess] {
        [LoopbackProcess { convertible }]
    }

    public static func buildExpression(_ process: LoopbackProcess) -> [LoopbackProcess] {
        [process]
    }

    /// Adds processes from an array.
    public static func buildExpression(_ processes: [LoopbackProcess]) -> [LoopbackProcess] {
        processes
    }

    public static func buildBlock(_ parts: [LoopbackProcess]...) -> [LoopbackProcess] {
        parts.flatMap { $0 }
    }

    public static func buildOptional(_ part: [LoopbackProcess]?) -> [LoopbackProcess] {
        part ?? []
    }

    public static func buildEither(first part: [LoopbackProcess]) -> [LoopbackProcess] {
        part
    }

    public static func buildEither(second part: [LoopbackProcess]) -> [LoopbackProcess] {
        part
    }

    public static func buildArray(_ parts: [[LoopbackProcess]]) -> [LoopbackProcess] {
        parts.flatMap { $0 }
    }
}
