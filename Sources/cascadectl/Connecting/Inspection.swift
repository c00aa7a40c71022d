// SPDX-License-Identifier: Apache-2.0

import Cascade

/// A query about the bus whose answer is shown, once or after each change, or taken from a dump.
struct Inspection: Sendable {
    private let bus: BusOptions
    private let output: OutputOptions
    private let watch: Bool
    private let dump: String?

    init(_ options: InspectionOptions) {
        bus = options.bus
        output = options.output
        watch = options.watch
        dump = options.dump
    }

    /// Creates an inspection that a dump cannot answer.
    init(_ options: WatchOptions) {
        bus = options.bus
        output = options.output
        watch = options.watch
        dump = nil
    }

    /// Shows the answer to a query.
    ///
    /// - Parameters:
    ///   - live: Creates the document from an answer's message.
    ///   - dumped: Creates the document from a dump.
    func show(
        _ subject: Query.Subject,
        live: @escaping @Sendable ([UInt8], Bus) throws -> any Document,
        dumped: (Dump) throws -> any Document
    ) async throws {
        try await show(
            subject, live: { message, _, bus in try live(message, bus) }, dumped: dumped)
    }

    /// - Parameter live: Also receives the message of the previous answer, if there was one.
    func show(
        _ subject: Query.Subject,
        live: @escaping @Sendable ([UInt8], [UInt8]?, Bus) throws -> any Document,
        dumped: (Dump) throws -> any Document
    ) async throws {
        guard let dump else {
            try await show(subject, live)
            return
        }
        try output.conclude(dumped(Dump(readingFile: dump)))
    }

    func show(
        _ subject: Query.Subject,
        _ document: @escaping @Sendable ([UInt8], Bus) throws -> any Document
    ) async throws {
        try await show(subject) { message, _, bus in try document(message, bus) }
    }

    /// - Parameter document: Creates the document from an answer's message and that of the previous
    ///   answer, if there was one.
    private func show(
        _ subject: Query.Subject,
        _ document: @escaping @Sendable ([UInt8], [UInt8]?, Bus) throws -> any Document
    ) async throws {
        guard watch else {
            try await bus.withBus { bus in
                try output.conclude(document(try await bus.link.query(subject), nil, bus))
            }
            return
        }
        let screen = WatchScreen(output)
        try await bus.watchBus(screen.showConnection) { bus in
            var earlier: [UInt8]?
            var place = PlaceWatch()
            for await message in try await bus.link.watch(subject) {
                try await place.show {
                    screen.show(try document(try Bus.answer(message), earlier, bus))
                    earlier = message
                } absence: {
                    screen.show($0)
                }
            }
        }
    }
}

extension Bus {
    /// Returns the answers to a query, now and after each change. Throws `CascadeError` if the bus
    /// refuses the query.
    func answers(
        _ subject: Query.Subject
    ) async throws -> AsyncThrowingMapSequence<AsyncStream<[UInt8]>, [UInt8]> {
        try await link.watch(subject).map { try Self.answer($0) }
    }

    /// Returns the message of an answer. Throws `CascadeError` if it is a refusal.
    static func answer(_ message: [UInt8]) throws -> [UInt8] {
        if try Header(parsing: message).command == .refused {
            let refused = try Refused(parsing: message)
            throw CascadeError(.refused, refused.sentence, reason: refused.code)
        }
        return message
    }
}
