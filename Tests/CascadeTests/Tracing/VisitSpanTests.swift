// SPDX-License-Identifier: Apache-2.0

#if Tracing
import Cascade
import CascadeTestKit
import InMemoryTracing
import Testing
import Tracing

/// Spans of visits, with a tracer that keeps them in memory.
@Suite(.serialized, .timeLimit(.minutes(1))) struct VisitSpanTests {
    @Environment(\.triggerEvent) private var triggerEvent
    @Environment(\.visit) private var visit

    @Test("A visit is a span within the one that raised its event, across the bus")
    func chain() async throws {
        let tracer = W3CTracer.shared
        tracer.memory.clearAll()
        let bus = LoopbackBus(mount: .root) {
            Node("shop") {
                Node("shelf").handle(ItemSelected.self) { _ in
                    _ = try await triggerEvent(PriceChanged()).outcome
                }
            }
            .handle(PriceChanged.self) { _ in }
        }
        try await bus.run { bus in
            _ = try await bus.trigger(ItemSelected(), at: "/shop/shelf").outcome
        }
        let spans = tracer.memory.finishedSpans
        let first = try #require(spans.first { $0.operationName == "ItemSelected" })
        let second = try #require(spans.first { $0.operationName == "PriceChanged" })
        #expect(second.spanContext.traceID == first.spanContext.traceID)
        #expect(second.spanContext.parentSpanID == first.spanContext.spanID)
        #expect(first.attributes.get("cascade.node") == .string("/shop/shelf"))
        #expect(first.attributes.get("cascade.lane") == .string("event"))
        #expect(second.attributes.get("cascade.origin") == .string("/shop/shelf"))
        #expect(first.kind == .consumer)
    }

    @Test("A responder that throws has a span that failed")
    func failing() async throws {
        let tracer = W3CTracer.shared
        tracer.memory.clearAll()
        let bus = LoopbackBus(mount: .root) {
            Node("shop").handle(ItemSelected.self) { _ in throw OutOfStock() }
        }
        try await bus.run { bus in
            _ = try await bus.trigger(ItemSelected(), at: "/shop").outcome
        }
        let span = try #require(tracer.memory.finishedSpans.first)
        #expect(span.status?.code == .error)
    }
}
#else
/// There are no spans without the trait.
enum VisitSpanTests {}
#endif
