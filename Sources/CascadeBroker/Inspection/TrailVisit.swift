// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// One visit of an event's trail as the broker notes it, for every event: small, and made without
/// allocation.
struct TrailVisit: Sendable {
    /// What few visits have to say beyond their numbers.
    final class Words: Sendable {
        /// The event's name, where it has no number.
        let name: EventName?
        /// What an error said of itself.
        let message: String?
        let title: String?

        init(name: EventName?, message: String?, title: String?) {
            self.name = name
            self.message = message
            self.title = title
        }
    }

    var path: NodePath
    var words: Words?
    var microseconds: UInt32
    /// The number of the event's name as it was.
    var name: NameIndex
    var responder: UInt16
    var kind: ResponderKind
    var verdict: VerdictCode
    var hasTimedOut: Bool

    func record(_ names: NameTable) -> VisitRecord {
        VisitRecord(
            path: path, responder: Int(responder), kind: kind,
            name: names.name(name) ?? words?.name ?? EventName(ErrorCode.badName),
            verdict: verdict, hasTimedOut: hasTimedOut, microseconds: Int(microseconds),
            message: words?.message, title: words?.title)
    }
}
