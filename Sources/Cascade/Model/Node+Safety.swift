// SPDX-License-Identifier: Apache-2.0

/// Declarations about a node's subtree that the bus checks.
///
///     struct Feed: NodeConvertible {
///         var node: Node {
///             Node("feed") { … }
///                 .triggers(ShowPost.self, ShowProfile.self)
///                 .reports(Unauthenticated.self)
///         }
///     }
extension Node {
    /// Declares the events, requests and cascades that this node and its subtree trigger.
    ///
    /// Any other name is a violation, see ``safetyLevel(_:)``. So is a declared name without a
    /// responder above, see ``requireExplicitResponders(_:)``.
    public func triggers<each V: NamedValue>(_ types: repeat (each V).Type) -> Node {
        with { node in
            var names = node.triggeredNames ?? []
            for type in repeat each types {
                names.append(type.name)
            }
            node.triggeredNames = names
        }
    }

    /// Declares the errors that this node and its subtree report.
    public func reports<each E: ReportableError>(_ types: repeat (each E).Type) -> Node {
        with { node in
            var names = node.reportedNames ?? []
            for type in repeat each types {
                names.append(type.name)
            }
            node.reportedNames = names
        }
    }

    /// Sets the treatment of undeclared names from this node and its subtree. The default is the
    /// level of the parent, and at the top `SafetyLevel.relaxed`, with which the bus logs warnings.
    public func safetyLevel(_ level: SafetyLevel) -> Node {
        with { $0.safety = level }
    }

    /// Sets whether each declared name needs a responder above that names it. The bus warns if
    /// there is none.
    public func requireExplicitResponders(_ isRequired: Bool = true) -> Node {
        with { $0.requiresExplicitResponders = isRequired }
    }
}
