// SPDX-License-Identifier: Apache-2.0

import Cascade

/// Asks the bus what stands in it and shows the answer, once or again on each change.
struct Inspection: Sendable {
    let bus: BusOptions
    let output: OutputOptions
    let watch: Bool

    /// - Parameter document: makes what is shown out of the answer's message.
    func show(
        _ subject: Query.Subject,
        _ document: @escaping @Sendable ([UInt8], Bus) throws -> any Document
    ) async throws {
        try await show(subject) { message, _, bus in try document(message, bus) }
    }

    /// - Parameter document: makes what is shown out of the answer's message, and that of the
    ///   answer before, if there was one.
    func show(
        _ subject: Query.Subject,
        _ document: @escaping @Sendable ([UInt8], [UInt8]?, Bus) throws -> any Document
    ) async throws {
        try await bus.withBus { bus in
            guard watch else {
                try output.conclude(document(try await bus.link.query(subject), nil, bus))
                return
            }
            var earlier: [UInt8]?
            for try await message in try await bus.answers(subject) {
                if !output.json {
                    Output.clearTerminal()
                }
                output.show(try document(message, earlier, bus))
                earlier = message
            }
        }
    }
}

extension Bus {
    /// The answers to a query, now and after each change. Throws `CascadeError` where the bus
    /// refuses the query.
    func answers(
        _ subject: Query.Subject
    ) async throws -> AsyncThrowingMapSequence<AsyncStream<[UInt8]>, [UInt8]> {
        try await link.watch(subject).map { message in
            if try Header(parsing: message).command == .refused {
                let refused = try Refused(parsing: message)
                throw CascadeError(.refused, refused.sentence, reason: refused.code)
            }
            return message
        }
    }
}
