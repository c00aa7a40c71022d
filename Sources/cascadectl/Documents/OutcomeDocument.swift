// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeJSON
import CascadeSession

/// The outcome of an event or a publication.
struct OutcomeDocument: Document {
    let id: EventID
    let name: EventName
    let settled: SettledEvent

    private var ended: Ended {
        settled.ended
    }

    /// Whether the outcome has a list of recipients.
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
    /// has failed if it failed at one of them.
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
        return lines.joined(separator: "\n")
    }

    /// The outcome with its duration, followed by the message of a failure.
    var headline: String {
        let time = Age.milliseconds(ended.microseconds)
        return switch ended.code {
        case .handled: "handled by \(handler) in \(time)"
        case .unhandled: "unhandled in \(time)"
        case .failed: "failed in \(time)\(failedPlaces): \(failure)"
        case .caught: "caught by \(handler) in \(time): \(failure)"
        case .rejected: "rejected in \(time): \(failure)"
        case .looped: "looped in \(time): \(failure)"
        case .timedOut:
            "timed out at \(ended.failure?.node?.description ?? "/") in \(time)\(failedPlaces)"
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

    /// The places where all recipients of a publication failed.
    private var failedPlaces: String {
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
    /// The error of a rejection by the policy.
    fileprivate static let denied: EventName = {
        do throws(NameError) {
            return try EventName("denied")
        } catch {
            preconditionFailure(error.description)
        }
    }()
}
