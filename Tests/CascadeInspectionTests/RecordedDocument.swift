// SPDX-License-Identifier: Apache-2.0

import CascadeInspection
import FoundationEssentials
import Testing

/// A document that the command line has printed, and the type that reads it.
struct RecordedDocument: CustomTestStringConvertible, Sendable {
    /// The name of the file without its suffix.
    let name: String
    /// Reads a document and returns it as text.
    let rewritten: @Sendable (String) throws -> String

    private init<Document: InspectionDocument>(_ name: String, _: Document.Type) {
        self.name = name
        rewritten = { text in try Document(jsonText: text).jsonText }
    }

    private static func documents<Document: InspectionDocument>(
        _ type: Document.Type, _ names: String...
    ) -> [RecordedDocument] {
        names.map { RecordedDocument($0, type) }
    }

    var testDescription: String {
        name
    }

    /// The lines of the file.
    var lines: [String] {
        get throws {
            try Self.text(of: name + ".json").split(separator: "\n").map(String.init)
        }
    }

    /// Returns the text of a file in the folder of recorded outputs.
    static func text(of file: String, _ source: String = #filePath) throws -> String {
        let folder = URL(filePath: source).deletingLastPathComponent()
        let bytes = try Data(contentsOf: folder.appending(path: "Recorded/\(file)"))
        return String(decoding: bytes, as: UTF8.self)
    }

    static let all: [RecordedDocument] =
        documents(
            TreeDocument.self, "tree", "tree-depth", "tree-key", "dumped-tree",
            "dumped-tree-depth", "dumped-tree-key")
        + documents(ListDocument.self, "list", "dumped-list", "dumped-list-state")
        + documents(BusStatusDocument.self, "status", "dumped-status")
        + documents(
            NodeStatusDocument.self, "status-node", "status-node-error", "status-root",
            "dumped-status-node", "dumped-status-root")
        + documents(TopDocument.self, "top", "dumped-top")
        + documents(MetricsDocument.self, "metrics")
        + documents(SitesDocument.self, "sites")
        + documents(DumpDocument.self, "dump")
        + documents(
            OutcomeDocument.self, "outcome-handled", "outcome-answered", "outcome-text",
            "outcome-unhandled", "outcome-caught", "outcome-failed", "outcome-error",
            "outcome-error-unhandled", "outcome-cascaded", "outcome-delivered",
            "outcome-no-subscriber", "outcome-held")
        + documents(
            OutcomeDocument.self, "trace-handled", "trace-answered", "trace-unhandled",
            "trace-caught", "trace-failed", "trace-error", "trace-error-unhandled",
            "trace-cascaded", "trace-delivered")
        + documents(
            RouteDocument.self, "route", "route-predicate", "route-error", "route-none")
        + documents(
            SubscribersDocument.self, "subscribers", "subscribers-none", "dumped-subscribers",
            "dumped-subscribers-none")
        + documents(
            UndeliveredDocument.self, "undelivered", "undelivered-show", "dumped-undelivered",
            "dumped-undelivered-show")
        + documents(CheckDocument.self, "check", "dumped-check")
        + documents(
            EnvironmentValueDocument.self, "env-get", "env-get-null", "env-get-rule",
            "dumped-env-get", "dumped-env-get-null")
        + documents(
            EnvironmentDocument.self, "env-list", "env-list-display", "dumped-env-list",
            "dumped-env-list-none")
        + documents(
            ExplanationDocument.self, "env-explain", "env-explain-set", "env-explain-none",
            "env-explain-bus")
        + documents(
            PreferencesDocument.self, "preferences", "preferences-node", "dumped-preferences",
            "dumped-preferences-node")
        + documents(RulesDocument.self, "rules", "dumped-rules")
        + documents(RulesCheckDocument.self, "rules-check", "rules-check-faulty")
        + documents(RulesDifferenceDocument.self, "rules-diff")
        + documents(PolicyDocument.self, "policy")
        + documents(PolicyTestDocument.self, "policy-test", "policy-test-user")
        + documents(MonitorEventDocument.self, "monitor", "monitor-trails")
        + documents(UnderWayDocument.self, "under-way")
        + documents(ActivityDocument.self, "activity")
        + documents(TopologyDocument.self, "topology")
        + documents(SettingsDocument.self, "env-set")
        + documents(ClearedDocument.self, "cleared")
        + documents(RaisedDocument.self, "raised")
        + documents(ReloadDocument.self, "reload")
        + documents(DifferenceDocument.self, "difference")
}
