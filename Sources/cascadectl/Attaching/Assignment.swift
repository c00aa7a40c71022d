// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeSession

/// A visit in the hands of the responder or subscription that has to answer it.
struct Assignment: Sendable {
    let invocation: Invocation
    let visit: Visit
    let option: ResponderOption
    /// The place among the node's responders, or among its subscriptions.
    let index: Int
    let start = ContinuousClock.now

    /// The line that is printed.
    var line: JSONValue {
        let json = visit.json
        return .members([
            "lane": .string(visit.lane),
            "name": .text(visit.name),
            "id": .text(visit.id),
            "origin": .text(visit.origin),
            "payload": json,
            "payloadBase64": json == nil && !visit.payload.isEmpty
                ? .string(Base64.encode(visit.payload)) : nil,
            "contentType": visit.contentType.map { .string($0) },
            "attributes": .object(
                visit.attributes.map { JSONValue.Member(key: $0.key, value: .string($0.value)) }),
            "responder": .integer(index),
            "kind": .string(option.kind),
        ])
    }

    /// What the bus is told where a program's answer means this.
    func result(of answer: Answer) -> InvocationResult {
        switch (option.role, answer) {
        case (.responder(let declaration), _) where declaration.kind == .observe: .passed
        case (.subscription, .handled), (.subscription, .notHandled): .handled
        case (_, .handled): .handled
        case (_, .notHandled): .passed
        case (_, .failed(let failure)): .failed(failure)
        case (_, .replaced(let name, let payload)): .replaced(replacement(name, payload))
        }
    }

    private func replacement(_ name: EventName?, _ payload: [UInt8]?) -> Raising {
        var newName = visit.name
        if case .transform(_, let to) = option.role {
            newName = to
        }
        return Raising(
            name: name ?? newName, payload: payload ?? Array(visit.payload),
            contentType: visit.contentType, attributes: visit.attributes)
    }
}

extension Visit {
    var lane: String {
        isPublication ? "publication" : "event"
    }

    /// The payload, if it is JSON.
    fileprivate var json: JSONValue? {
        guard contentType == nil, !payload.isEmpty else {
            return nil
        }
        // What is announced as JSON and is none is shown as bytes.
        return try? JSONParser.parse(payload)
    }
}
