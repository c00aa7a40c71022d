// SPDX-License-Identifier: Apache-2.0

// Paths, names, IDs and verdicts are the same for a worker as on the wire.
@_exported public import CascadeWire
import Logging

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
/// `main()` connects to the bus that `CASCADE_BUS` names (otherwise the user's bus, otherwise the
/// system's), attaches the nodes, serves until SIGTERM or SIGINT, leaves gracefully, and ends. It logs
/// by the program's `LoggingSystem`, which ``init()`` may bootstrap. If it fails, it exits
/// with ``CascadeError/exitStatus``, which is 78 if the configuration is wrong.
public protocol Worker: Sendable {
    /// Creates the program's only worker.
    init()

    /// The path below which the nodes are attached; by default, the root.
    static var mount: NodePath { get }

    /// The nodes of the program.
    @NodeBuilder var body: [Node] { get }
}

extension Worker {
    /// The root.
    public static var mount: NodePath {
        .root
    }
}

extension Worker {
    /// The nodes, which watch the keys of the worker type's ``Environment`` properties.
    package var nodes: [Node] {
        let keys = WatchedProperties.keys(of: self)
        return body.map { $0.isConverted ? $0 : $0.watching(keys) }
    }
}

extension Worker {
    /// Runs the worker until SIGTERM or SIGINT.
    ///
    /// Concurrent, because `@main` does not accept a function that runs on its caller's actor.
    @concurrent public static func main() async {
        let worker = Self()
        // After the initializer, which may bootstrap the program's LoggingSystem.
        let logger = Logger(label: String(describing: Self.self))
        await WorkerProcess(mount: mount, logger: logger) { worker.nodes }.main()
    }
}
