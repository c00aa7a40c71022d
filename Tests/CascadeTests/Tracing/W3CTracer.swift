// SPDX-License-Identifier: Apache-2.0

#if Tracing
import InMemoryTracing
import Synchronization
import Tracing

/// A tracer that keeps spans in memory and, unlike the tracer it wraps, propagates its context as
/// the W3C's `traceparent`.
struct W3CTracer: Tracer {
    let memory: InMemoryTracer

    /// The tracer of all tests; the first use bootstraps it.
    static let shared: W3CTracer = {
        let last = Counter()
        let tracer = W3CTracer(
            memory: InMemoryTracer(
                idGenerator: InMemoryTracer.IDGenerator(
                    nextTraceID: { digits(last.next(), 32) },
                    nextSpanID: { digits(last.next(), 16) })))
        InstrumentationSystem.bootstrap(tracer)
        return tracer
    }()

    private final class Counter: Sendable {
        private let value = Atomic<UInt64>(0)

        func next() -> UInt64 {
            value.add(1, ordering: .relaxed).newValue
        }
    }

    private static func digits(_ number: UInt64, _ count: Int) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: count - digits.count) + digits
    }

    func startSpan<Instant: TracerInstant>(
        _ operationName: String, context: @autoclosure () -> InstrumentationContext,
        ofKind kind: SpanKind, at instant: @autoclosure () -> Instant, function: String,
        file fileID: String, line: UInt
    ) -> InMemorySpan {
        memory.startSpan(
            operationName, context: context(), ofKind: kind, at: instant(),
            function: function, file: fileID, line: line)
    }

    func forceFlush() {}

    func inject<Carrier, Inject: Injector>(
        _ context: InstrumentationContext, into carrier: inout Carrier, using injector: Inject
    ) where Inject.Carrier == Carrier {
        var table: [String: String] = [:]
        memory.inject(context, into: &table, using: Table())
        if let trace = table[InMemoryTracer.traceIDKey],
            let span = table[InMemoryTracer.spanIDKey]
        {
            injector.inject("00-\(trace)-\(span)-01", forKey: "traceparent", into: &carrier)
        }
    }

    func extract<Carrier, Extract: Extractor>(
        _ carrier: Carrier, into context: inout InstrumentationContext,
        using extractor: Extract
    ) where Extract.Carrier == Carrier {
        let parts = (extractor.extract(key: "traceparent", from: carrier) ?? "")
            .split(separator: "-").map(String.init)
        guard parts.count == 4 else {
            return
        }
        let table = [
            InMemoryTracer.traceIDKey: parts[1], InMemoryTracer.spanIDKey: parts[2],
        ]
        memory.extract(table, into: &context, using: Table())
    }

    private struct Table: Injector, Extractor {
        func inject(_ value: String, forKey key: String, into table: inout [String: String]) {
            table[key] = value
        }

        func extract(key: String, from table: [String: String]) -> String? {
            table[key]
        }
    }
}
#else
/// Without the trait there is no tracer.
enum W3CTracer {}
#endif
