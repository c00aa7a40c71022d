// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeJSON
import CascadeSession

/// The outcome of an event or a publication.
struct OutcomeDocument: Document {
    let id: EventID
    let name: EventName
    let settled: SettledEvent

    private var ended: OutcomeMessage {
        settled.ended
    }

    /// Whether the JSON has a list of recipients, even if it is empty.
    private var listsPaths: Bool {
        switch ended.code {
        case .delivered, .noSubscriber, .cascaded: true
        default: !ended.recipients.isEmpty
        }
    }

    /// The members of the outcome, without the schema.
    var members: [JSONValue.Member] {
        JSONValue.memberList([
            "id": .text(id),
            "name": .text(name),
            "outcome": .string(ended.code.name),
            "by": isHandled ? settled.by.map { .text($0) } : nil,
        ])
            + (settled.reply.map { reply in
                JSONValue.payload(reply.payload[...], reply.contentType, as: "reply")
            } ?? [])
            + JSONValue.memberList([
                "error": ended.failure?.json,
                "paths": listsPaths ? .array(ended.recipients.map { .text($0) }) : nil,
                "failedPaths": ended.failedRecipients.isEmpty
                    ? nil : .array(ended.failedRecipients.map { .text($0) }),
                "trail": ended.trail.isEmpty ? nil : .array(ended.trail.map(\.json)),
                "omittedVisits": ended.omittedVisitCount == 0
                    ? nil : .integer(ended.omittedVisitCount),
            ])
    }

    private var isHandled: Bool {
        ended.code == .handled || ended.code == .caught
    }

    var json: JSONValue {
        .object([JSONValue.Member(key: "schema", value: "cascade/v1/outcome")] + members)
    }

    /// The exit status. A rejection by the policy is `denied`. A message with several recipients
    /// is `failed` if it has failed at one of them.
    var status: ExitStatus {
        switch ended.code {
        case .rejected where ended.failure?.name == .denied: .denied
        case .delivered where ended.failure != nil: .failed
        default: ExitStatus(ended.code)
        }
    }

    // MARK: - Text

    func text(_ style: Style) -> String {
        var lines = [style.apply(ended.code.colour, headline)]
        if let reply = settled.reply, !reply.payload.isEmpty {
            lines.append(
                "  " + Output.shown(reply.payload[...], contentType: reply.contentType))
        }
        var cause = ended.failure?.cause
        while let failure = cause {
            lines.append(style.apply(.dim, "  because of " + failure.description.safeForTerminal))
            cause = failure.cause
        }
        if !ended.trail.isEmpty {
            lines.append(
                TrailTable.text(ended.trail.map(\.json), omitted: ended.omittedVisitCount, style))
        }
        lines.append(style.apply(.dim, "  ID \(id)"))
        return lines.joined(separator: "\n")
    }

    /// The outcome with its duration, followed by the message of a failure.
    var headline: String {
        let time = Age.milliseconds(ended.microseconds)
        return switch ended.code {
        case .handled: "handled by \(handler) in \(time)"
        case .unhandled: "unhandled in \(time)"
        case .failed: "failed in \(time)\(failedPaths): \(failure)"
        case .caught: "caught by \(handler) in \(time): \(failure)"
        case .rejected: "rejected in \(time): \(failure)"
        case .looped: "looped in \(time): \(failure)"
        case .timedOut:
            "timed out at \(ended.failure?.node?.description ?? "/") in \(time)\(failedPaths)"
        case .delivered: "delivered to \(recipients) in \(time)"
        case .noSubscriber: "no subscriber in \(time)"
        case .cascaded: ended.recipients.isEmpty ? "no node ran it" : "run by \(paths) in \(time)"
        }
    }

    private var paths: String {
        ended.recipients.map(\.description).joined(separator: ", ")
    }

    private var recipients: String {
        guard ended.failure != nil else {
            return paths
        }
        let failed = ended.failedRecipients.map(\.description).joined(separator: ", ")
        return "\(paths); failed at \(failed.isEmpty ? "one" : failed): \(failure)"
    }

    /// The failed recipients, as words for a message that has failed at all of them.
    private var failedPaths: String {
        let failed = ended.failedRecipients.map(\.description).joined(separator: ", ")
        return failed.isEmpty ? "" : " at \(failed)"
    }

    private var handler: String {
        let path = settled.by?.description ?? "the bus"
        let responder = ended.trail.last { $0.verdict == .handled || $0.verdict == .answered }
        return responder.map { "\(path) (responder \($0.responder), \($0.kind.name) \($0.name))" }
            ?? "\(path) (responder \(ended.responder))"
    }

    private var failure: String {
        (ended.failure ?? Failure(.responderFailed)).description.safeForTerminal
    }
}

extension EventName {
    /// The name of the error with which the policy rejects a message.
    fileprivate static let denied: EventName = "denied"
}

extension OutcomeCode {
    var colour: Style.Colour {
        switch self {
        case .handled, .delivered, .cascaded: .green
        case .unhandled, .noSubscriber, .caught: .yellow
        case .failed, .timedOut, .rejected, .looped: .red
        }
    }
}

// MARK: - Trails

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
        lines += particulars
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
        lines += consequences
        return lines.joined(separator: "\n")
    }

    /// The error and its causes.
    private var errorLines: [String] {
        var lines: [String] = []
        var error = json["error"]
        while let current = error {
            let name = current["name"]?.string ?? ""
            let node = current["node"]?.string.map { " at \($0)" } ?? ""
            let words = current["message"]?.string.map { ": \($0)" } ?? ""
            let what = lines.isEmpty ? "error" : "because of"
            lines.append("  \(what) \(name)\(node)\(words)".safeForTerminal)
            error = current["cause"]
        }
        return lines
    }
}

/// The visits of an event, one per line, indented.
enum TrailTable {
    /// - Parameters:
    ///   - visits: The visits as the bus's documents have them.
    ///   - omitted: The number of visits left out between the first and the last.
    static func text(
        _ visits: [JSONValue], omitted: some BinaryInteger, _ style: Style
    ) -> String {
        var table = Table([], indent: "  ", wrapping: [5])
        for visit in visits {
            let words = [visit["title"], visit["message"]].compactMap { $0?.string }
            table.append([
                Cell(visit["path"]?.string ?? ""),
                Cell(visit["responder"]?.plainText ?? ""),
                Cell("\(visit["kind"]?.string ?? "") \(visit["name"]?.string ?? "")"),
                Cell(visit["verdict"]?.string ?? ""),
                Cell(visit["microseconds"]?.number.map { Age.milliseconds($0) } ?? ""),
                Cell(words.joined(separator: ": ")),
            ])
        }
        let note = "  \(omitted) visits between the first and the last of these are left out"
        return omitted == 0 ? table.text(style) : table.text(style) + "\n" + note
    }
}
