// SPDX-License-Identifier: Apache-2.0

import CascadeSession

#if Tracing
import Tracing
#endif

/// Spans of distributed tracing: one for each responder or subscription that runs, inside the
/// origin's span. Without the package trait `Tracing` there are none.
enum VisitSpan {
    /// The running span, the parent of messages raised now; `nil` if there is none.
    static var current: TraceParent? {
        #if Tracing
        guard let context = InstrumentationContext.current else {
            return nil
        }
        var carrier = TraceCarrier()
        InstrumentationSystem.instrument.inject(context, into: &carrier, using: carrier)
        return carrier.traceParent
        #else
        return nil
        #endif
    }

    /// Runs the code that answers a visit, inside a span.
    static func run(
        _ visit: Visit, _ answer: () async -> InvocationResult
    ) async -> InvocationResult {
        #if Tracing
        var context = InstrumentationContext.topLevel
        let carrier = TraceCarrier(visit.traceParent)
        InstrumentationSystem.instrument.extract(carrier, into: &context, using: carrier)
        return await withSpan("\(visit.name)", context: context, ofKind: .consumer) { span in
            span.attributes["cascade.node"] = visit.node.description
            span.attributes["cascade.origin"] = visit.origin.description
            span.attributes["cascade.event.id"] = visit.id.description
            span.attributes["cascade.lane"] =
                visit.isPublication ? "publication" : visit.lane.name
            let result = await answer()
            if case .failed(let failure, _) = result {
                span.setStatus(
                    SpanStatus(
                        code: .error, message: failure.message ?? failure.name.description))
            }
            return result
        }
        #else
        return await answer()
        #endif
    }
}

#if Tracing
/// The part of a tracer's context that travels with an event: `traceparent`.
struct TraceCarrier: Sendable, Injector, Extractor {
    private static let key = "traceparent"

    private(set) var traceParent: TraceParent?

    init(_ traceParent: TraceParent? = nil) {
        self.traceParent = traceParent
    }

    func inject(_ value: String, forKey key: String, into carrier: inout TraceCarrier) {
        if key == Self.key {
            carrier.traceParent = TraceParent(value)
        }
    }

    func extract(key: String, from carrier: TraceCarrier) -> String? {
        key == Self.key ? carrier.traceParent?.description : nil
    }
}
#else
/// An empty carrier, without tracing.
struct TraceCarrier {}
#endif
