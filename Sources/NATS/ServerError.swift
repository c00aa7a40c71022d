// SPDX-License-Identifier: Apache-2.0

import CNATS
package import ZeroMQ

/// Why a connection to a NATS server could not be opened, or has ended.
package struct ServerError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The step of dialling that failed.
    package enum Step: String, Sendable, CaseIterable {
        /// The name of the server has no address.
        case name
        /// The server's address accepts no connection.
        case tcp = "TCP"
        /// The server has no certificate that is trusted, or speaks no TLS.
        case tls = "TLS"
        /// The server does not know the key.
        case key
        /// The server does not permit a subject.
        case permission
        /// The connection was open, and broke.
        case connection
        /// The library has refused a call.
        case library
    }

    package let step: Step
    /// The reason as a sentence for a person. Parts of it may come from the server.
    package let reason: String

    package init(_ step: Step, _ reason: String) {
        self.step = step
        self.reason = reason
    }

    /// Describes what the system has refused: a queue between threads, or a thread.
    package init(_ refusal: ZeroMQError) {
        self.init(.library, refusal.description)
    }

    package var description: String {
        "\(step.rawValue): \(reason)"
    }

    /// Describes a status of the library, with the details that it keeps for this thread.
    init(_ step: Step, _ status: natsStatus) {
        var last = NATS_OK
        let text = String(cString: natsStatus_GetText(status))
        guard let details = nats_GetLastError(&last), last == status else {
            self.init(step, text)
            return
        }
        let detail = Self.sentence(String(cString: details))
        self.init(step, detail.isEmpty ? text : "\(text): \(detail)")
    }

    /// Returns a text of the library without the position in its source, as in `(conn.c:2184): no route`.
    static func sentence(_ text: String) -> String {
        guard text.hasPrefix("("), let end = text.firstRange(of: "): "),
            text[..<end.lowerBound].contains(".c:")
        else {
            return text
        }
        return String(text[end.upperBound...])
    }
}

/// Throws the error of a status other than success.
func check(
    _ status: natsStatus, _ step: ServerError.Step = .library
) throws(ServerError) {
    guard status == NATS_OK else {
        throw ServerError(step, status)
    }
}
