// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Cascade
import CascadeInspection
import Glibc

// MARK: - Activity

/// Makes a node active.
struct Activate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Activate a node, as the most recent subscriber.",
        discussion: """
            Exits with 3 if the node stays inactive because an ancestor is.

            Example: cascadectl activate /office/display
            """)

    @OptionGroup var bus: BusOptions
    @OptionGroup var output: PlainOutputOptions

    @Argument(help: "Path of the node.", completion: .nodes, transform: NodePath.argument)
    var path: NodePath

    func run() async throws {
        let document = try await bus.withBus { bus in
            try await bus.link.activate(path, isActive: true)
            return try await bus.activity(of: path)
        }
        try output.conclude(ShownDocument(document))
    }
}

/// Makes a node and its subtree inactive.
struct Deactivate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Deactivate a node and its subtree as subscribers.",
        discussion: """
            Example: cascadectl deactivate /office/display
            """)

    @OptionGroup var bus: BusOptions
    @OptionGroup var output: PlainOutputOptions

    @Argument(help: "Path of the node.", completion: .nodes, transform: NodePath.argument)
    var path: NodePath

    func run() async throws {
        try await bus.withBus { bus in try await bus.link.activate(path, isActive: false) }
        output.show(ShownDocument(ActivityDocument(path: path, active: false)))
    }
}

extension ActivityDocument: TextDocument {
    /// The exit status after an activation.
    var status: ExitStatus {
        active ? .done : .negative
    }

    func text(_ style: Style) -> String {
        let reason = inactiveAncestor.map { ", because \($0) is; activate that node too" } ?? ""
        return "\(path) is \(active ? "active" : "inactive")\(reason)"
    }
}

extension Bus {
    /// Returns whether the node is active now, and otherwise the ancestor that keeps it inactive, if
    /// the caller may see it.
    fileprivate func activity(of path: NodePath) async throws -> ActivityDocument {
        guard let node = try? await snapshot(of: path), !node.isActive else {
            return ActivityDocument(path: path, active: true)
        }
        var document = ActivityDocument(path: path, active: false)
        var next = path.parent
        while let place = next, let ancestor = try? await snapshot(of: place),
            ancestor.state == .vacant || !ancestor.isActive
        {
            if ancestor.state != .vacant {
                document.inactiveAncestor = place
            }
            next = place.parent
        }
        return document
    }

    private func snapshot(of path: NodePath) async throws -> NodeSnapshot? {
        try TreeAnswer(parsing: await query(.tree(path: path, depth: 0))).nodes.first
    }
}

// MARK: - Places

/// Moves a node to another parent.
struct Move: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Move a node and its subtree to another parent.",
        discussion: """
            A move of more than one node asks for confirmation on a terminal, unless --yes is given; \
            elsewhere it needs none.

            Example: cascadectl move /office/display /kitchen
            """)

    @OptionGroup var bus: BusOptions
    @OptionGroup var output: PlainOutputOptions
    @OptionGroup var confirmation: ConfirmationOptions

    @Argument(help: "Path of the node.", completion: .nodes, transform: NodePath.argument)
    var path: NodePath

    @Argument(
        help: "Path of the new parent; the node keeps its name.", completion: .nodes,
        transform: NodePath.argument)
    var newParent: NodePath

    func run() async throws {
        let paths = try await bus.withBus { bus in
            let paths = try await bus.paths(from: path, depth: .max)
            try confirmation.confirm("Move", paths, isNeeded: false)
            try await bus.administer(.move(path: path, under: newParent))
            return paths
        }
        output.show(
            ShownDocument(
                TopologyDocument(
                    change: .moved, path: path, to: try newParent.appending(path.name),
                    nodes: paths)))
    }
}

/// Drains a node: takes it out of the tree when it has finished its work.
struct Drain: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Detach a node once its accepted work has ended.",
        discussion: """
            With more than one node, asks for confirmation on a terminal, and needs --yes elsewhere.

            Example: cascadectl drain /kitchen --subtree --yes
            """)

    @OptionGroup var departure: DepartureOptions

    func run() async throws {
        try await departure.run(
            "Drain", .drain(path: departure.path, withSubtree: departure.subtree),
            shownAs: .drained)
    }
}

/// Takes a node out of the tree at once.
struct Detach: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Detach a node at once, and notify its process.",
        discussion: """
            With more than one node, asks for confirmation on a terminal, and needs --yes elsewhere.

            Example: cascadectl detach /kitchen/oven
            """)

    @OptionGroup var departure: DepartureOptions

    func run() async throws {
        try await departure.run(
            "Detach", .detach(path: departure.path, withSubtree: departure.subtree),
            shownAs: .detached)
    }
}

// MARK: - Options and document

/// The options of commands that take nodes out of the tree.
struct DepartureOptions: ParsableArguments {
    @OptionGroup var bus: BusOptions
    @OptionGroup var output: PlainOutputOptions
    @OptionGroup var confirmation: ConfirmationOptions

    @Argument(help: "Path of the node.", completion: .nodes, transform: NodePath.argument)
    var path: NodePath

    @Flag(help: "The node's subtree, in addition.")
    var subtree = false

    /// Makes the change, after a confirmation if more than one node is affected, and prints it.
    func run(
        _ verb: String, _ change: Administer.Change, shownAs shown: TopologyDocument.Change
    ) async throws {
        let paths = try await bus.withBus { bus in
            let paths = try await bus.paths(from: path, depth: subtree ? .max : 0)
            try confirmation.confirm(verb, paths, isNeeded: true)
            try await bus.administer(change)
            return paths
        }
        output.show(ShownDocument(TopologyDocument(change: shown, path: path, nodes: paths)))
    }
}

/// The confirmation of changes to more than one node.
struct ConfirmationOptions: ParsableArguments {
    @Flag(help: "No question before a change of more than one node.")
    var yes = false

    /// Whether a user can answer a question.
    private var isOnTerminal: Bool {
        isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1
    }

    /// Asks for confirmation if more than one node is affected. Throws ``Stop`` if the answer is
    /// no.
    ///
    /// - Parameters:
    ///   - verb: The change, as in "Detach".
    ///   - isNeeded: Whether `--yes` is required without a terminal.
    func confirm(_ verb: String, _ paths: [NodePath], isNeeded: Bool) throws {
        guard !yes, paths.count > 1 else {
            return
        }
        guard isOnTerminal else {
            if isNeeded {
                throw Stop(
                    .usage, "this would affect \(paths.count) nodes; confirm it with --yes")
            }
            return
        }
        Output.question("\(verb) \(paths.count) nodes: \(Self.summary(paths))? [y/N] ")
        guard let answer = readLine()?.lowercased(), ["y", "yes"].contains(answer) else {
            throw Stop(.failure, "nothing was changed")
        }
    }

    private static func summary(_ paths: [NodePath]) -> String {
        let shown = paths.prefix(5).map(\.description).joined(separator: ", ")
        return paths.count > 5 ? shown + ", …" : shown
    }
}

extension TopologyDocument: TextDocument {
    func text(_ style: Style) -> String {
        let others = nodes.count > 1 ? ", and \(nodes.count - 1) below it" : ""
        return to.map { "\(path) is now \($0)\(others)" } ?? "\(path) is \(change)\(others)"
    }
}
