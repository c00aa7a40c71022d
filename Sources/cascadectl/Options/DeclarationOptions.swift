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
        help: ArgumentHelp(
            "Name of events that the subtree triggers; may be repeated.", valueName: "name"),
        transform: EventName.argument)
    var triggers: [EventName] = []

    @Option(
        help: ArgumentHelp(
            "Name of errors that the subtree reports; may be repeated.", valueName: "name"),
        transform: EventName.argument)
    var reports: [EventName] = []

    @Option(
        help: ArgumentHelp(
            "Treatment of undeclared names; otherwise that of the parent.",
            valueName: "level"))
    var safety: SafetyLevel?

    @Flag(
        name: .customLong("no-explicit-responders"),
        help: "Do not require a responder above for each declared name.")
    var needsNoExplicitResponders = false

    @Option(help: "Relation to the parent; a presented node stops when its parent leaves.")
    var relation = Relation.contained

    @Option(
        help: """
            Treatment of the nodes below when this node does not return: they stay, or are \
            told to stop.
            """)
    var policy = OrphanPolicy.adopt

    @Flag(
        help: """
            Print the outcomes of durable events that an earlier process triggered at this path.
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
