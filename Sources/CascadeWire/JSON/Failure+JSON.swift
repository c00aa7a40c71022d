// SPDX-License-Identifier: Apache-2.0

extension Failure {
    /// The error as documents show it, its causes nested in it.
    package var json: JSONValue {
        var cause: JSONValue?
        for error in causes.reversed() {
            cause = error.json(cause: cause)
        }
        return json(cause: cause)
    }

    private func json(cause: JSONValue?) -> JSONValue {
        .members([
            "name": .text(name),
            "message": message.map { .string($0) },
            "title": title.map { .string($0) },
            "node": node.map { .text($0) },
            "cause": cause,
        ])
    }
}
