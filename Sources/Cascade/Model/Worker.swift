// SPDX-License-Identifier: Apache-2.0

// Paths, names, IDs and verdicts are the same for a worker as on the wire.
@_exported public import CascadeWire

/// A program that holds nodes in the tree.
///
///     @main
///     struct Shop: Worker {
///         static let mount: NodePath = "/shop"
///
///         var body: [Node] {
///             Node("storefront")
///                 .handle(ItemSelected.self) { event in … }
///         }
///     }
///
/// `main()` connects to the bus that `CASCADE_BUS` names (or the user's, or the system's), attaches
/// the nodes, serves until SIGTERM or SIGINT, leaves gracefully, and ends.
public protocol Worker: Sendable {
    init()

    /// The path below which the nodes stand; the root unless said otherwise.
    static var mount: NodePath { get }

    /// The nodes that the program holds.
    @NodeBuilder var body: [Node] { get }
}

extension Worker {
    public static var mount: NodePath {
        .root
    }
}

extension Worker {
    /// The nodes, which have what the properties of the worker's type read ready.
    package var nodes: [Node] {
        let keys = WatchedProperties.keys(of: self)
        return body.map { $0.isConverted ? $0 : $0.watching(keys) }
    }
}
