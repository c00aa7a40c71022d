// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeInspection
import CascadeJSON
import CascadeSession

/// The outcome of an event or a publication.
struct RaisedOutcome: Document {
    let id: EventID
    let name: EventName
    let settled: SettledEvent

    private var ended: OutcomeMessage {
        settled.ended
    }

    /// The document of the outcome.
    var content: OutcomeDocument {
        OutcomeDocument(id: id, name: name, settled)
    }

    var json: JSONValue {
        content.json
    }

    /// The exit status. A rejection by the policy is `denied`. A message with several recipients
    /// is `failed` if it has failed at one of them. One that a limit kept from being held may be
    /// sent again.
    var status: ExitStatus {
        switch ended.code {
        case .rejected where ended.failure?.name == .denied: .denied
        case .delivered where ended.failure != nil: .failed
        case .unhandled where ended.failure?.name == .limitReached: .tryAgain
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
            lines.append(style.apply(.dim, "  because of " + failure.description))
            cause = failure.cause
        }
        if !ended.trail.isEmpty {
            lines.append(
                TrailTable.text(
                    ended.trail.map { VisitEntry($0) }, omitted: ended.omittedVisitCount, style))
        }
        lines.append(style.apply(.dim, "  ID \(id)"))
        return lines.joined(separator: "\n")
    }

    /// The outcome with its duration, followed by the message of a failure.
    var headline: String {
        let time = Age.milliseconds(ended.microseconds)
        return switch ended.code {
        case .handled: "handled by \(handler) in \(time)"
        case .unhandled: "unhandled in \(time)\(ended.failure.map { _ in ": \(failure)" } ?? "")"
        case .failed: "failed in \(time)\(failedPaths): \(failure)"
        case .caught: "caught by \(handler) in \(time): \(failure)"
        case .rejected: "rejected in \(time): \(failure)"
        case .looped: "looped in \(time): \(failure)"
        case .timedOut where ended.failure?.node == .root:
            "timed out in \(time): \(failure)"
        case .timedOut:
            "timed out at \(ended.failure?.node?.description ?? "/") in \(time)\(failedPaths)"
        case .delivered: "delivered to \(recipients) in \(time)"
        case .noSubscriber: "no subscriber in \(time)"
        case .cascaded where ended.recipients.isEmpty: "no node ran it\(failures)"
        case .cascaded: "run by \(paths) in \(time)\(failures)"
        }
    }

    /// The nodes at which a cascade has failed.
    private var failedNodes: [NodePath] {
        ended.trail.filter { $0.verdict == .failed }.map(\.path)
    }

    /// The words for the nodes at which a cascade has failed.
    private var failures: String {
        let failed = failedNodes.map(\.description).joined(separator: ", ")
        return failed.isEmpty ? "" : "; failed at \(failed)"
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
        (ended.failure ?? Failure(.responderFailed)).description
    }
}

extension EventName {
    /// The name of the error with which the policy rejects a message.
    fileprivate static let denied: EventName = "denied"
    /// The name of the error of a message that could not be held.
    fileprivate static let limitReached: EventName = "limitReached"
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

extension OutcomeDocument: TextDocument {
    /// Returns the trail of the event so far.
    func text(_ style: Style) -> String {
        let name = name?.description ?? ""
        var line = "\(name) is \(outcome?.rawValue ?? "under way")"
        if let by {
            line += " by \(by)"
        }
        var lines = [style.apply(outcome?.known?.colour ?? .plain, line.safeForTerminal)]
        lines += particulars
        lines += errorLines
        if let traceparent {
            lines.append("  traceparent: \(traceparent)")
        }
        if let reply {
            lines.append("  reply: \(reply.text)")
        }
        for path in paths ?? [] {
            lines.append("  to \(path)")
        }
        if let omittedPaths {
            lines.append("  and to \(omittedPaths) more")
        }
        if let trail, !trail.isEmpty {
            lines.append(
                TrailTable.text(trail, omitted: omittedVisits ?? 0, style, showsWaits: true))
        }
        lines += consequences
        return lines.joined(separator: "\n")
    }

    /// The error and its causes.
    private var errorLines: [String] {
        var lines: [String] = []
        var next = error
        while let error = next {
            let node = error.node.map { " at \($0)" } ?? ""
            let words = error.message.map { ": \($0)" } ?? ""
            let what = lines.isEmpty ? "error" : "because of"
            lines.append("  \(what) \(error.name)\(node)\(words)".safeForTerminal)
            next = error.cause
        }
        return lines
    }
}

extension VisitEntry {
    /// The time until the node accepted the visit, with its label; empty if the node did not say it.
    fileprivate var wait: String {
        waited.map { "waited \(Age.milliseconds($0))" } ?? ""
    }
}

/// The visits of an event, one per line, indented.
enum TrailTable {
    /// - Parameters:
    ///   - visits: The visits as documents have them.
    ///   - omitted: The number of visits left out between the first and the last.
    ///   - showsWaits: Whether a line has the time until the node accepted the visit.
    static func text(
        _ visits: [VisitEntry], omitted: some BinaryInteger, _ style: Style,
        showsWaits: Bool = false
    ) -> String {
        var table = Table([], indent: "  ", wrapping: [6])
        for visit in visits {
            let words = [visit.title, visit.message].compactMap(\.self)
            table.append([
                Cell(visit.path.description),
                Cell(String(visit.responder)),
                Cell("\(visit.kind) \(visit.name)"),
                Cell(visit.verdict.rawValue),
                Cell(Age.milliseconds(visit.microseconds)),
                Cell(showsWaits ? visit.wait : ""),
                Cell(words.joined(separator: ": ")),
            ])
        }
        let note = "  \(omitted) visits between the first and the last of these are left out"
        return omitted == 0 ? table.text(style) : table.text(style) + "\n" + note
    }
}
