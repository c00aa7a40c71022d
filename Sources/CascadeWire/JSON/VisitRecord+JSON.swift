// SPDX-License-Identifier: Apache-2.0

extension VisitRecord {
    /// The visit as the trail of an outcome shows it.
    package var json: JSONValue {
        .members([
            "path": .text(path),
            "responder": .integer(responder),
            "kind": .string(kind.name),
            "name": .text(name),
            "verdict": .string(hasTimedOut ? "timedOut" : verdict.name),
            "microseconds": .integer(microseconds),
            "message": message.map { .string($0) },
            "title": title.map { .string($0) },
        ])
    }
}
