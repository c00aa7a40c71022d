// SPDX-License-Identifier: Apache-2.0

/// What a node says of its subtree, for the bus to check.
///
///     struct Feed: NodeConvertible {
///         var node: Node {
///             Node("feed") { … }
///                 .triggers(ShowPost.self, ShowProfile.self)
///                 .reports(Unauthenticated.self)
///         }
///     }
extension Node {
    /// The events, requests and cascades that come from here or below.
    ///
    /// Another one that passes is a violation, see ``safetyLevel(_:)``; so is a declared one
    /// without a responder above, see ``requireExplicitResponders(_:)``.
    public func triggers<each V: NamedValue>(_ types: repeat (each V).Type) -> Node {
        with { node in
            var names = node.triggeredNames ?? []
            for type in repeat each types {
                names.append(type.name)
            }
            node.triggeredNames = names
        }
    }

    /// The errors that come from here or below.
    public func reports<each E: ReportableError>(_ types: repeat (each E).Type) -> Node {
        with { node in
            var names = node.reportedNames ?? []
            for type in repeat each types {
                names.append(type.name)
            }
            node.reportedNames = names
        }
    }

    /// What becomes of an event whose name is not declared, here and below; what holds at the
    /// parent unless said otherwise, and at the top `SafetyLevel.relaxed`: the bus warns.
    public func safetyLevel(_ level: SafetyLevel) -> Node {
        with { $0.safety = level }
    }

    /// Whether a declared name is to have a responder above that names it; the bus warns where
    /// there is none.
    public func requireExplicitResponders(_ isRequired: Bool = true) -> Node {
        with { $0.requiresExplicitResponders = isRequired }
    }
}
