// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeJSON

/// The trail of an event so far.
struct TraceDocument: Document {
    /// The outcome document from the bus; it has no outcome while the event is under way.
    let json: JSONValue

    func text(_ style: Style) -> String {
        let outcome = json["outcome"]?.string
        let code = OutcomeCode.allCases.first { $0.name == outcome }
        var line = "\(json["name"]?.string ?? "") is \(outcome ?? "under way")"
        if let path = json["by"]?.string {
            line += " by \(path)"
        }
        var lines = [style.apply(code?.colour ?? .plain, line.safeForTerminal)]
        lines += errorLines
        if let parent = json["traceparent"]?.string {
            lines.append("  traceparent: \(parent)")
        }
        if let reply = json["reply"] {
            lines.append("  reply: \(reply.text)")
        }
        for path in json["paths"]?.elements ?? [] {
            lines.append("  to \(path.plainText.safeForTerminal)")
        }
        let trail = json["trail"]?.elements ?? []
        if let omitted = json["omittedPaths"]?.number {
            lines.append("  and to \(omitted) more")
        }
        if !trail.isEmpty {
            let omitted = json["omittedVisits"]?.number.flatMap { Int($0) } ?? 0
            lines.append(TrailTable.text(trail, omitted: omitted, style))
        }
        return lines.joined(separator: "\n")
    }

    /// The error and its causes.
    private var errorLines: [String] {
        var lines: [String] = []
        var error = json["error"]
        while let current = error {
            let name = current["name"]?.string ?? ""
            let place = current["node"]?.string.map { " at \($0)" } ?? ""
            let words = current["message"]?.string.map { ": \($0)" } ?? ""
            let what = lines.isEmpty ? "error" : "because of"
            lines.append("  \(what) \(name)\(place)\(words)".safeForTerminal)
            error = current["cause"]
        }
        return lines
    }
}
