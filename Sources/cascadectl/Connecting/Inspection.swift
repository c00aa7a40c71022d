// SPDX-License-Identifier: Apache-2.0

import Cascade

/// A query to the bus, or to a dump, whose answer is shown once or after each change.
struct Inspection: Sendable {
    private let bus: BusOptions
    private let site: String?
    private let output: OutputOptions
    private let watch: Bool
    private let dump: String?

    init(_ options: InspectionOptions) {
        bus = options.bus
        site = options.asked.site
        output = options.output
        watch = options.watch
        dump = options.dump
    }

    /// Creates an inspection that a dump cannot answer.
    init(_ options: WatchOptions) {
        bus = options.bus
        site = options.asked.site
        output = options.output
        watch = options.watch
        dump = nil
    }

    /// Shows the answer to a query.
    ///
    /// - Parameters:
    ///   - live: Creates the document from the message of an answer.
    ///   - suggestion: Returns a diagnostic for an answer that is negative or empty, from all nodes.
    ///   - dumped: Creates the document from a dump.
    func show(
        _ subject: Query.Subject,
        live: @escaping @Sendable ([UInt8], Bus) throws -> any Document,
        suggesting suggestion: @escaping @Sendable ([NodeSnapshot]) -> String? = { _ in nil },
        dumped: (Dump) throws -> any Document
    ) async throws {
        guard let dump else {
            try await show(subject, live) { suggestion((try? await $0.nodes()) ?? []) }
            return
        }
        let read = try Dump(readingFile: dump)
        let document = try dumped(read)
        output.show(document)
        if document.status != .done {
            throw Stop(document.status, suggestion(try read.entries().map(\.node)))
        }
    }

    /// Shows the answer to a query, whose document may compare it with the previous answer.
    ///
    /// - Parameter live: Creates the document from the message of an answer and that of the
    ///   previous one; `nil` for the first.
    func show(
        _ subject: Query.Subject,
        live: @escaping @Sendable ([UInt8], [UInt8]?, Bus) throws -> any Document,
        dumped: (Dump) throws -> any Document
    ) async throws {
        guard let dump else {
            try await show(subject, { _ in nil }, live)
            return
        }
        try output.conclude(dumped(Dump(readingFile: dump)))
    }

    /// Shows the answer to a query that a dump cannot answer.
    ///
    /// - Parameter suggestion: Returns a diagnostic for an answer that is negative or empty.
    func show(
        _ subject: Query.Subject,
        _ document: @escaping @Sendable ([UInt8], Bus) throws -> any Document,
        suggesting suggestion: @escaping @Sendable (Bus) async -> String? = { _ in nil }
    ) async throws {
        try await show(subject, suggestion) { message, _, bus in try document(message, bus) }
    }

    /// Shows the bus's answer, once or after each change.
    private func show(
        _ subject: Query.Subject,
        _ suggestion: @escaping @Sendable (Bus) async -> String? = { _ in nil },
        _ document: @escaping @Sendable ([UInt8], [UInt8]?, Bus) throws -> any Document
    ) async throws {
        guard watch else {
            try await bus.withBus(asking: site) { bus in
                try await bus.reaching(subject) { bus, subject in
                    let shown = try document(try await bus.query(subject), nil, bus)
                    output.show(shown)
                    if shown.status != .done {
                        // Suggestions name the options as they are here.
                        let isOfOption = bus.asked == nil || site != nil
                        throw Stop(shown.status, isOfOption ? await suggestion(bus) : nil)
                    }
                }
            }
            return
        }
        let screen = try WatchScreen(output)
        try await bus.watchBus(asking: site, screen.showConnection) { bus in
            let (bus, subject) = try await bus.located(subject)
            guard bus.asked == nil else {
                try await bus.poll(screen) { earlier in
                    let message = try await bus.query(subject)
                    return (message, try document(message, earlier, bus))
                }
                return
            }
            var earlier: [UInt8]?
            var place = AbsenceWatch(of: .place)
            for await message in try await bus.link.watch(subject) {
                try await place.watch {
                    screen.show(try document(try Link.answer(message), earlier, bus))
                    earlier = message
                } reporting: {
                    screen.show($0)
                }
            }
        }
    }
}
