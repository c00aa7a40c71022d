// SPDX-License-Identifier: Apache-2.0

/// The builder of the nodes inside a node or of a worker.
@resultBuilder
public enum NodeBuilder {
    public static func buildExpression(_ node: Node) -> [Node] {
        [node]
    }

    public static func buildExpression(_ convertible: some NodeConvertible) -> [Node] {
        [convertible.watchingNode]
    }

    /// Adds nodes from an array.
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
