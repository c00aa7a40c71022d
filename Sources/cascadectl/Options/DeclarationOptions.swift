// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Cascade

/// The declarations of a node about itself and its subtree.
struct DeclarationOptions: ParsableArguments {
    /// The relation of a node to its parent.
    enum Relation: String, ExpressibleByArgument, CaseIterable {
        case contained
        /// Presented like a sheet: told to stop when its parent leaves.
        case presented
    }

    /// The treatment of the nodes below when this node has left and does not return.
    enum OrphanPolicy: String, ExpressibleByArgument, CaseIterable {
        case adopt, detach
    }

    @Option(
        help: ArgumentHelp("A name of events that the subtree triggers.", valueName: "name"),
        transform: EventName.argument)
    var triggers: [EventName] = []

    @Option(
        help: ArgumentHelp("A name of errors that the subtree reports.", valueName: "name"),
        transform: EventName.argument)
    var reports: [EventName] = []

    @Option(
        help: ArgumentHelp(
            "What becomes of names that are not declared; as at the parent unless given.",
            valueName: "level"))
    var safety: SafetyLevel?

    @Flag(
        name: .customLong("no-explicit-responders"),
        help: "Declared names need no responder of their own name above.")
    var needsNoExplicitResponders = false

    @Option(help: "How it stands to its parent; a presented node stops when that goes.")
    var relation = Relation.contained

    @Option(
        help: """
            What becomes of the nodes below when this one does not come back: they stay, or are \
            told to stop.
            """)
    var policy = OrphanPolicy.adopt

    @Flag(
        help: """
            Print how durable events ended that an earlier process had triggered at this path.
            """)
    var outcomes = false

    func declare(in declaration: inout NodeDeclaration) {
        declaration.triggers = triggers.isEmpty ? nil : triggers
        declaration.reports = reports.isEmpty ? nil : reports
        declaration.safety = safety
        declaration.requiresExplicitResponders = needsNoExplicitResponders ? false : nil
        declaration.wantsOutcomes = outcomes
        declaration.isPresented = relation == .presented
        declaration.detachesOrphans = policy == .detach
    }
}
