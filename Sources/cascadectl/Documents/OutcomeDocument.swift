// SPDX-License-Identifier: Apache-2.0

import Cascade

/// How an event or a publication ended.
struct OutcomeDocument: Document {
    let id: EventID
    let name: EventName
    let settled: SettledEvent

    private var ended: Ended {
        settled.ended
    }

    private var isPublication: Bool {
        ended.code == .delivered || ended.code == .noSubscriber || !ended.recipients.isEmpty
    }

    /// The members of the outcome, without the schema.
    var members: [JSONValue.Member] {
        let document = JSONValue.members([
            "id": .text(id),
            "name": .text(name),
            "outcome": .string(ended.code.name),
            "by": ended.code == .handled ? settled.by.map { .text($0) } : nil,
            "error": ended.failure?.json,
            "paths": isPublication ? .array(ended.recipients.map { .text($0) }) : nil,
            "trail": ended.trail.isEmpty ? nil : .array(ended.trail.map(\.json)),
        ])
        guard case .object(let members) = document else {
            return []
        }
        return members
    }

    var json: JSONValue {
        .object([JSONValue.Member(key: "schema", value: "cascade/v1/outcome")] + members)
    }

    var status: ExitStatus {
        ExitStatus(ended.code)
    }

    // MARK: - For people

    func text(_ style: Style) -> String {
        let line = style.apply(colour, sentence)
        guard !ended.trail.isEmpty else {
            return line
        }
        var table = Table([], indent: "  ")
        for visit in ended.trail {
            table.append([
                Cell(visit.path.description),
                Cell(String(visit.responder)),
                Cell("\(visit.kind.name) \(visit.name)"),
                Cell(visit.verdict.name),
                Cell(Age.milliseconds(UInt32(clamping: visit.microseconds))),
            ])
        }
        return line + "\n" + table.text(style)
    }

    private var colour: Style.Colour {
        switch ended.code {
        case .handled, .delivered, .cascaded: .green
        case .unhandled, .noSubscriber, .caught: .yellow
        case .failed, .timedOut, .rejected, .looped: .red
        }
    }

    /// How it ended and how long that took; what a failure says of itself stands last.
    private var sentence: String {
        let time = Age.milliseconds(ended.microseconds)
        return switch ended.code {
        case .handled: "handled by \(handler) in \(time)"
        case .unhandled: "unhandled in \(time)"
        case .failed: "failed in \(time): \(failure)"
        case .timedOut: "timed out at \(ended.failure?.node?.description ?? "/") in \(time)"
        case .delivered: "delivered to \(recipients) in \(time)"
        case .noSubscriber: "no subscriber in \(time)"
        case .caught: "caught by \(settled.by?.description ?? "the bus") in \(time): \(failure)"
        case .rejected: "rejected in \(time): \(failure)"
        case .looped: "looped in \(time): \(failure)"
        case .cascaded: ended.recipients.isEmpty ? "nobody ran, in \(time)" : "run by \(paths) in \(time)"
        }
    }

    private var paths: String {
        ended.recipients.map(\.description).joined(separator: ", ")
    }

    private var recipients: String {
        ended.failure == nil ? paths : "\(paths); for one it failed: \(failure)"
    }

    private var handler: String {
        let path = settled.by?.description ?? "the bus"
        let responder = ended.trail.last { $0.verdict == .handled }
        return responder.map { "\(path) (responder \($0.responder), \($0.kind.name) \($0.name))" }
            ?? "\(path) (responder \(ended.responder))"
    }

    private var failure: String {
        (ended.failure ?? Failure(.responderFailed)).description.safeForTerminal
    }
}
