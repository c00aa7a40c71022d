// SPDX-License-Identifier: Apache-2.0

public import Cascade

/// The builder of the processes of a bus in memory: workers, nodes, or processes of several nodes.
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
