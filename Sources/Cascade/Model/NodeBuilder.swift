// SPDX-License-Identifier: Apache-2.0

/// Collects the nodes inside a node, or of a worker, as they are written.
@resultBuilder
public enum NodeBuilder {
    public static func buildExpression(_ node: Node) -> [Node] {
        [node]
    }

    public static func buildExpression(_ convertible: some NodeConvertible) -> [Node] {
        [convertible.watchingNode]
    }

    /// Nodes that were collected elsewhere.
    public static func buildExpression(_ nodes: [Node]) -> [Node] {
        nodes
    }

    public static func buildBlock(_ parts: [Node]...) -> [Node] {
        parts.flatMap { $0 }
    }

    public static func buildOptional(_ part: [Node]?) -> [Node] {
        part ?? []
    }

    public static func buildEither(first part: [Node]) -> [Node] {
        part
    }

    public static func buildEither(second part: [Node]) -> [Node] {
        part
    }

    public static func buildArray(_ parts: [[Node]]) -> [Node] {
        parts.flatMap { $0 }
    }
}
