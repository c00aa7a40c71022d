// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeJSON
import CascadeSession

/// A visit that a responder or subscription of the node has to answer.
struct PendingVisit: Sendable {
    let invocation: Invocation
    let visit: Visit
    let option: ResponderOption
    /// The index among the node's responders, or among its subscriptions.
    let index: Int
    /// The time of arrival.
    let start = ContinuousClock.now

    /// The line to print for the visit. An error's members have the same names as in an outcome.
    var line: JSONValue {
        let failure = visit.failure?.json
        return .object(
            JSONValue.memberList([
                "lane": .string(visit.laneName),
                "name": .text(visit.name),
                "id": .text(visit.id),
                "origin": .text(visit.origin),
                "title": failure?["title"],
                "message": failure?["message"],
                "node": failure?["node"],
                "cause": failure?["cause"],
                "traceparent": visit.traceParent.map { .text($0) },
            ]) + JSONValue.payload(visit.payload, visit.contentType)
                + JSONValue.memberList([
                    "attributes": .object(
                        visit.attributes.map {
                            JSONValue.Member(key: $0.key, value: .string($0.value))
                        }),
                    "retained": visit.isRetained ? true : nil,
                    "sentAgain": visit.isRedelivered ? true : nil,
                    "responder": .integer(index),
                    "kind": .string(option.kind),
                ]))
    }

    /// The line to print after a cancellation: the origin no longer waits.
    var cancelLine: JSONValue {
        .members(["lane": "cancel", "id": .text(visit.id), "responder": .integer(index)])
    }

    /// The line to print after the deadline: the bus no longer waits.
    var timeoutLine: JSONValue {
        .members([
            "lane": "cancel", "id": .text(visit.id), "responder": .integer(index),
            "reason": "timedOut",
        ])
    }

    /// The time for which the bus still waits for the verdict.
    var timeLeft: Duration {
        .milliseconds(Int(visit.millisecondsLeft)) - (ContinuousClock.now - start)
    }

    /// Returns the result to send to the bus for a program's answer.
    func result(of answer: Answer) -> InvocationResult {
        if case .responder(let declaration) = option.role, declaration.kind == .observe {
            // Its only verdict. A failure stops nothing either, but the trail names it.
            guard case .failed(let failure) = answer else {
                return .passed
            }
            return .failed(failure)
        }
        return switch (option.role, answer) {
        case (.subscription, .handled), (.subscription, .notHandled): .handled
        case (_, .handled(let reply)): handled(reply)
        case (_, .notHandled): .passed
        case (_, .failed(let failure)): .failed(failure)
        case (_, .replaced(let name, let payload)): .replaced(replacement(name, payload))
        }
    }

    private func handled(_ reply: [UInt8]) -> InvocationResult {
        visit.lane == .request && !visit.isPublication
            ? .answered(Reply(payload: reply, contentType: reply.isEmpty ? nil : visit.contentType))
            : .handled
    }

    /// Returns the message that replaces the visit's. An error that replaces an error keeps the
    /// message and title.
    private func replacement(_ name: EventName?, _ payload: [UInt8]?) -> Raising {
        var newName = visit.name
        if case .replacement(_, let to) = option.role {
            newName = to
        }
        let isError = option.declaration?.kind == .transformError
        return Raising(
            name: name ?? newName, payload: payload ?? Array(visit.payload),
            contentType: visit.contentType, attributes: visit.attributes,
            message: isError ? visit.failure?.message : nil,
            title: isError ? visit.failure?.title : nil)
    }
}

extension Visit {
    /// The lane as in the printed lines.
    var laneName: String {
        isPublication ? "publication" : lane.name
    }
}

/// The answer of a program to a visit.
enum Answer: Sendable {
    /// Handled, with a reply that only requests use.
    case handled(reply: [UInt8])
    case notHandled
    /// Replaced; `nil` keeps the name or payload.
    case replaced(EventName?, [UInt8]?)
    case failed(Failure)
}
