// SPDX-License-Identifier: Apache-2.0

import CascadeTestSupport
import CascadeWire

/// What messages are made of.
extension SeededGenerator {
    mutating func sessionID() -> SessionID {
        SessionID(high: integer(), low: integer())
    }

    mutating func namedNumber() -> NamedNumber {
        NamedNumber(text(), integer())
    }

    mutating func attribute() -> Attribute {
        Attribute(text(), text())
    }

    mutating func raised() -> Raised {
        Raised(
            name: maybe { $0.name() }, origin: maybe { $0.path() },
            attributes: list { $0.attribute() }, contentType: maybe { $0.text() })
    }

    mutating func failure() -> Failure {
        Failure(name: name(), message: maybe { $0.text() }, node: maybe { $0.path() })
    }

    mutating func responder() -> ResponderDeclaration {
        ResponderDeclaration(one(of: ResponderKind.self), maybe { $0.name() })
    }

    mutating func declaration() -> NodeDeclaration {
        let concurrency = UInt16.random(in: 1 ... .max, using: &self)
        return NodeDeclaration(
            path: path(), responders: list { $0.responder() }, subscriptions: list { $0.name() },
            isActive: isLucky(), takesOver: isLucky(), concurrency: concurrency,
            prefetch: .random(in: concurrency ... .max, using: &self))
    }

    mutating func visit() -> VisitRecord {
        VisitRecord(
            path: path(), responder: Int(integer(UInt16.self)), kind: one(of: ResponderKind.self),
            name: name(), verdict: one(of: VerdictCode.self),
            microseconds: Int(integer(UInt32.self)))
    }

    mutating func definition() -> Define.Definition {
        switch Int.random(in: 0...2, using: &self) {
        case 0: .name(number: integer(), name())
        case 1: .node(number: integer(), path())
        default: .session(number: integer(), sessionID())
        }
    }

    mutating func snapshot() -> NodeSnapshot {
        NodeSnapshot(
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
