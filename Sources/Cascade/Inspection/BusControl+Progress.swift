// SPDX-License-Identifier: Apache-2.0

public import CascadeInspection
import CascadeSession
import CascadeWire

/// Inspection that continues: a document for each change.
extension BusControl {
    /// Returns the answers to a query: the present one, then one after each change of the tree or of
    /// the environment. Changes within 50 ms are combined.
    ///
    /// Throws ``CascadeError`` outside the code of a node.
    public func updates<Document>(
        of query: InspectionQuery<Document>
    ) async throws -> DocumentUpdates<Document> {
        let link = try raiser.running()
        let context = try await Self.context(for: query, link)
        return DocumentUpdates(messages: try await link.watch(query.subject)) { message in
            try Self.document(of: query, in: message, context())
        }
    }

    /// Returns the bus's events as they occur.
    ///
    /// Throws ``CascadeError`` outside the code of a node.
    ///
    /// - Parameters:
    ///   - names: The pattern of the names, with `*` and `?`; `nil` for all.
    ///   - paths: The pattern of the paths, with `*` and `?`; `nil` for all.
    ///   - kinds: The kinds of events; empty for all.
    ///   - age: The age of the oldest event, as far as the bus remembers them.
    ///   - payloads: Whether the events contain the payloads and attributes of messages.
    public func monitor(
        names: String? = nil, paths: String? = nil, kinds: [MonitorEventKind] = [],
        since age: Duration = .zero, payloads: Bool = false
    ) async throws -> DocumentUpdates<MonitorEventDocument> {
        try await updates(
            of: .monitor(
                MonitorFilter(
                    name: names, path: paths, kinds: kinds,
                    sinceMilliseconds: age > .zero ? age.wireMilliseconds : 0,
                    withPayloads: payloads)))
    }

    /// Returns the nodes by traffic, again after each interval. The rates of the first document are
    /// averages since each node attached, those of the others since the document before.
    public func top(every interval: Duration = .seconds(1)) -> TrafficUpdates {
        TrafficUpdates(control: self, interval: interval)
    }

    fileprivate func sample() async throws -> (bus: String, TrafficSample) {
        let link = try raiser.running()
        let context = try await Self.context(for: .tree(), link)()
        let nodes = try TreeAnswer(parsing: await link.query(.tree(path: .root, depth: .max))).nodes
        let sample = TrafficSample(
            nodes.map { .init(context.node($0), ageMicroseconds: $0.ageMicroseconds) },
            at: context.now)
        return (context.bus, sample)
    }
}

/// The answers to a query of ``BusControl``: the present one, then one after each change of the tree
/// or of the environment.
///
/// The iteration throws ``CascadeError`` if the bus refuses the query, also later, for example when
/// the node of the query leaves the tree. It ends when the worker ends. Releasing the iterator ends
/// the query.
public struct DocumentUpdates<Document: InspectionDocument>: AsyncSequence, Sendable {
    fileprivate let messages: AsyncStream<[UInt8]>
    fileprivate let read: @Sendable ([UInt8]) throws -> Document

    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate var messages: AsyncStream<[UInt8]>.AsyncIterator
        fileprivate let read: @Sendable ([UInt8]) throws -> Document

        /// Returns the next document. Throws ``CascadeError``.
        public mutating func next() async throws -> Document? {
            try await next(isolation: #isolation)
        }

        /// Returns the next document. Throws ``CascadeError``.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws -> Document? {
            try await messages.next(isolation: actor).map(read)
        }
    }

    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(messages: messages.makeAsyncIterator(), read: read)
    }
}

/// The nodes of a bus by traffic, once per interval. The iteration ends when its task is cancelled.
public struct TrafficUpdates: AsyncSequence, Sendable {
    fileprivate let control: BusControl
    fileprivate let interval: Duration

    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let control: BusControl
        fileprivate let interval: Duration
        fileprivate var previous: TrafficSample?

        /// Returns the next document, after the interval if it is not the first. Throws
        /// ``CascadeError`` if the bus refuses the query or the worker has ended.
        public mutating func next() async throws -> TopDocument? {
            if previous != nil {
                do {
                    try await Task.sleep(for: interval)
                } catch {
                    return nil
                }
            }
            let (bus, sample) = try await control.sample()
            defer { previous = sample }
            return TopDocument(bus: bus, sample, since: previous)
        }
    }

    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(control: control, interval: interval)
    }
}
