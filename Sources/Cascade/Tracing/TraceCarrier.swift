// SPDX-License-Identifier: Apache-2.0

#if Tracing
import Tracing

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
