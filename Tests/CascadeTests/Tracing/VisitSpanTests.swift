// SPDX-License-Identifier: Apache-2.0

#if Tracing
import Cascade
import CascadeTestKit
import InMemoryTracing
import Testing
import Tracing

/// Spans of visits, with a tracer that keeps them in memory. A process has one tracer, so it also
/// contains spans of other tests, at other paths.
@Suite(.timeLimit(.minutes(1))) struct VisitSpanTests {
    @Environment(\.triggerEvent) private var triggerEvent
    @Environment(\.visit) private var visit

    @Test func `the span of a visit is a child of the span that triggered its event`() async throws
    {
        let tracer = W3CTracer.shared
        let bus = LoopbackBus(mount: .root) {
            Node("traced") {
                Node("shelf").handle(ItemSelected.self) { _ in
                    _ = try await triggerEvent(PriceChanged()).outcome
                }
            }
            .handle(PriceChanged.self) { _ in }
        }
        try await bus.run { bus in
            _ = try await bus.trigger(ItemSelected(), from: "/traced/shelf").outcome
        }
        let first = try #require(Self.span(at: "/traced/shelf", in: tracer))
        let second = try #require(Self.span(at: "/traced", in: tracer))
        #expect(first.operationName == "ItemSelected" && second.operationName == "PriceChanged")
        #expect(second.spanContext.traceID == first.spanContext.traceID)
        #expect(second.spanContext.parentSpanID == first.spanContext.spanID)
        #expect(first.attributes.get("cascade.lane") == .string("event"))
        #expect(second.attributes.get("cascade.origin") == .string("/traced/shelf"))
        #expect(first.kind == .consumer)
    }

    @Test func `the span of a visit whose responder throws has the status error`() async throws {
        let tracer = W3CTracer.shared
        let bus = LoopbackBus(mount: .root) {
            Node("traced-failing").handle(ItemSelected.self) { _ in throw OutOfStock() }
        }
        try await bus.run { bus in
            _ = try await bus.trigger(ItemSelected(), from: "/traced-failing").outcome
        }
        let span = try #require(Self.span(at: "/traced-failing", in: tracer))
        #expect(span.status?.code == .error)
    }

    private static func span(at path: String, in tracer: W3CTracer) -> FinishedInMemorySpan? {
        tracer.memory.finishedSpans.first { span in
            span.attributes.get("cascade.node") == .string(path)
        }
    }
}
#else
/// There are no spans without the trait.
enum VisitSpanTests {}
#endif
