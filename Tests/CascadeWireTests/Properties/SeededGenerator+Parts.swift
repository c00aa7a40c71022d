// SPDX-License-Identifier: Apache-2.0

import CascadeTestSupport
import CascadeWire

/// Random parts of messages.
extension SeededGenerator {
    mutating func sessionID() -> SessionID {
        SessionID(high: integer(), low: integer())
    }

    mutating func activation() -> Activation {
        Activation(rank: integer(), isActive: isLucky())
    }

    mutating func namedNumber() -> NamedNumber {
        NamedNumber(text(), integer())
    }

    mutating func attribute() -> Attribute {
        Attribute(text(), text())
    }

    mutating func eventID() -> EventID {
        EventID(session: sessionID(), sequence: integer())
    }

    mutating func raised() -> RaisedFields {
        RaisedFields(
            name: maybe { $0.name() }, origin: maybe { $0.path() },
            attributes: list { $0.attribute() }, contentType: maybe { $0.text() },
            cause: maybe { $0.eventID() }, holdMilliseconds: maybe { $0.integer() },
            message: maybe { $0.text() }, title: maybe { $0.text() },
            retried: maybe { $0.eventID() }, traceParent: maybe { $0.traceParent() },
            raisedAs: maybe { RaisedAs($0.eventID(), isRepeated: $0.isLucky()) })
    }

    mutating func traceParent() -> TraceParent {
        var digits = ""
        for _ in 0..<50 {
            digits += String(Int.random(in: 1...15, using: &self), radix: 16)
        }
        let span = digits.dropFirst(32).prefix(16)
        guard let parent = TraceParent("00-\(digits.prefix(32))-\(span)-\(digits.suffix(2))") else {
            preconditionFailure("fifty digits that are not 0 make a traceparent")
        }
        return parent
    }

    /// An error with its causes, which have no causes of their own.
    mutating func failure() -> Failure {
        var failure = singleFailure()
        failure.causes = list { $0.singleFailure() }
        return failure
    }

    private mutating func singleFailure() -> Failure {
        Failure(
            name: name(), message: maybe { $0.text() }, title: maybe { $0.text() },
            node: maybe { $0.path() })
    }

    mutating func responder() -> ResponderDeclaration {
        ResponderDeclaration(
            one(of: ResponderKind.self), maybe { $0.name() }, when: maybe { $0.text() })
    }

    mutating func standIn() -> StandIn {
        StandIn(name(), levels: integer(), turn: integer())
    }

    mutating func declaration() -> NodeDeclaration {
        let concurrency = UInt16.random(in: 1 ... .max, using: &self)
        var declaration = NodeDeclaration(
            path: path(), responders: list { $0.responder() }, subscriptions: list { $0.name() },
            isActive: isLucky(), takesOver: isLucky(), concurrency: concurrency,
            prefetch: .random(in: concurrency ... .max, using: &self))
        declaration.isPresented = isLucky()
        declaration.isMount = isLucky()
        declaration.standIns = list { $0.standIn() }
        declaration.detachesOrphans = isLucky()
        declaration.triggers = maybe { $0.list { $0.name() } }
        declaration.reports = maybe { $0.list { $0.name() } }
        declaration.safety = maybe { $0.one(of: SafetyLevel.self) }
        declaration.requiresExplicitResponders = maybe { $0.isLucky() }
        declaration.activation = maybe { $0.activation() }
        declaration.assignments = assignments()
        return declaration
    }

    /// Empty text is decoded as none.
    mutating func visit() -> VisitRecord {
        let words = maybe { $0.text() } ?? ""
        let title = maybe { $0.text() } ?? ""
        return VisitRecord(
            path: path(), responder: Int(integer(UInt16.self)), kind: one(of: ResponderKind.self),
            name: name(), verdict: one(of: VerdictCode.self),
            microseconds: Int(integer(UInt32.self)),
            at: maybe { Int(UInt32.random(in: 0...(.max - 1), using: &$0)) },
            waited: maybe { Int(UInt32.random(in: 0...(.max - 1), using: &$0)) },
            message: words.isEmpty ? nil : words,
            title: title.isEmpty ? nil : title)
    }

    mutating func route() -> RouteQuery {
        RouteQuery(
            one(of: Lane.self), name(), from: path(), attributes: list { $0.attribute() },
            payload: text())
    }

    mutating func monitorFilter() -> MonitorFilter {
        MonitorFilter(
            name: maybe { $0.text() }, path: maybe { $0.text() },
            kinds: list { $0.one(of: MonitorEventKind.self) }, sinceMilliseconds: integer(),
            withPayloads: isLucky(), perSecond: integer(), withTrails: isLucky())
    }

    mutating func definition() -> Define.Definition {
        switch Int.random(in: 0...2, using: &self) {
        case 0: .name(number: integer(), name())
        case 1: .node(number: integer(), path(), maybe { $0.activation() })
        default:
            .session(number: integer(), SessionIdentity(sessionID(), isProven: isLucky()))
        }
    }

    mutating func snapshot() -> NodeSnapshot {
        var snapshot = NodeSnapshot(
            path: path(), state: one(of: NodeState.self), isActive: isLucky(),
            ageMicroseconds: integer(), childCount: integer(),
            holder: maybe { generator in
                NodeSnapshot.Holder(
                    session: generator.sessionID(), processID: generator.integer(),
                    userID: generator.integer(), groupID: generator.integer(),
                    unit: generator.text(), program: generator.text())
            },
            responders: list { $0.responder() }, subscriptions: list { $0.name() },
            counters: list { $0.namedNumber() })
        snapshot.since = maybe { Timestamp(microseconds: Int64(bitPattern: $0.integer())) }
        snapshot.number = maybe { $0.integer() }
        snapshot.isPresented = isLucky()
        snapshot.isMount = isLucky()
        snapshot.standIns = list { $0.standIn() }
        snapshot.triggers = maybe { $0.list { $0.name() } }
        snapshot.reports = maybe { $0.list { $0.name() } }
        snapshot.safety = maybe { $0.one(of: SafetyLevel.self) }
        snapshot.detachesOrphans = isLucky()
        return snapshot
    }

    mutating func header() -> Header {
        Header(
            one(of: Command.self), flags: HeaderFlags(rawValue: integer()), index: integer(),
            node: integer(), name: integer(), id: integer(), sequence: integer(),
            origin: integer(), session: integer(), time: integer(), code: integer())
    }

    mutating func itinerary() -> Itinerary {
        let stop = { (generator: inout SeededGenerator) in
            Itinerary.Stop(node: generator.integer(), responder: generator.integer())
        }
        return Itinerary([stop(&self)] + list(stop))
    }
}
