// SPDX-License-Identifier: Apache-2.0

import CascadeTestSupport
import CascadeWire

/// Random messages of each type.
extension SeededGenerator {
    mutating func hello() -> Hello {
        let min = UInt16.random(in: 1 ... .max, using: &self)
        return Hello(
            versions: min...(.random(in: min ... .max, using: &self)), session: sessionID(),
            program: text(), processID: integer(), isResumed: isLucky(),
            secret: maybe { SessionSecret(using: &$0) },
            policyKey: maybe { String($0.name().description.prefix(KeyName.byteCountMax)) })
    }

    mutating func welcome() -> Welcome {
        Welcome(
            version: integer(), bus: text(), release: text(), processID: integer(),
            credit: integer(), beatMilliseconds: integer(), limits: list { $0.namedNumber() })
    }

    mutating func attach() -> Attach {
        Attach(
            request: integer(), nodes: [declaration()] + list { $0.declaration() },
            names: list { $0.name() })
    }

    mutating func attached() -> Attached {
        Attached(
            request: integer(),
            nodes: list { generator in
                Attached.Node(
                    path: generator.path(), number: generator.integer(),
                    activation: generator.maybe { $0.activation() })
            })
    }

    mutating func change() -> Change {
        Change(
            request: integer(), node: integer(), declaration: declaration(), abandons: isLucky())
    }

    mutating func leave() -> Leave {
        Leave(request: integer(), node: integer())
    }

    mutating func detached() -> Detached {
        Detached(
            node: integer(), path: path(), reason: one(of: ErrorCode.self), sentence: text())
    }

    mutating func refused() -> Refused {
        Refused(
            request: integer(), sequence: integer(), code: one(of: ErrorCode.self),
            sentence: text())
    }

    mutating func violation() -> Violation {
        Violation(one(of: ErrorCode.self), text())
    }

    mutating func define() -> Define {
        Define(list { $0.definition() })
    }

    mutating func activate() -> Activate {
        Activate(request: integer(), path: path(), isActive: isLucky())
    }

    mutating func verdict() -> Verdict {
        Verdict(
            delivery: integer(), node: integer(), code: one(of: VerdictCode.self),
            stop: integer(), nextAccepted: isLucky(), microseconds: integer(),
            newName: maybe { $0.name() }, failure: maybe { $0.failure() },
            remote: maybe { $0.remoteEnd() })
    }

    private mutating func remoteEnd() -> RemoteEnd {
        RemoteEnd(
            handler: path(), trail: list { $0.visit() }, recipients: list { $0.path() },
            failedRecipients: list { $0.path() }, outcome: maybe { $0.one(of: OutcomeCode.self) })
    }

    mutating func ended() -> OutcomeMessage {
        OutcomeMessage(
            sequence: integer(), code: one(of: OutcomeCode.self), node: integer(),
            responder: integer(), microseconds: integer(), failure: maybe { $0.failure() },
            trail: list { $0.visit() }, recipients: list { $0.path() },
            handler: maybe { $0.path() })
    }

    mutating func settled() -> Settled {
        var ended = ended()
        ended.node = Header.noNode
        return Settled(
            ended: ended, id: maybe { $0.eventID() }, name: name(), origin: path(),
            handler: maybe { $0.path() })
    }

    mutating func received() -> Received {
        Received(sequence: integer(), id: maybe { $0.eventID() })
    }

    mutating func query() -> Query {
        Query(request: integer(), subject(), isRepeating: isLucky())
    }

    mutating func treeAnswer() -> TreeAnswer {
        var answer = TreeAnswer(request: integer(), nodes: list { $0.snapshot() })
        answer.version = integer()
        answer.hasOnlyChanges = isLucky()
        answer.gone = list { $0.integer() }
        return answer
    }

    mutating func activityAnswer() -> ActivityAnswer {
        var answer = ActivityAnswer(
            request: integer(), when: Timestamp(microseconds: Int64(bitPattern: integer())),
            rows: list { ActivityAnswer.Row(number: $0.integer(), counters: $0.nodeCounters()) })
        // The sums of no node are not encoded.
        answer.otherCount = integer()
        if answer.otherCount > 0 {
            answer.others = nodeCounters()
        }
        return answer
    }

    private mutating func nodeCounters() -> NodeCounters {
        var counters = NodeCounters()
        counters.queue = integer()
        counters.visits = integer()
        counters.errors = integer()
        counters.latencyMicroseconds = integer()
        counters.measured = integer()
        return counters
    }

    mutating func busAnswer() -> BusAnswer {
        BusAnswer(
            request: integer(), bus: text(), release: text(), processID: integer(),
            ageMicroseconds: integer(), counters: list { $0.namedNumber() },
            limits: list { $0.namedNumber() })
    }

    mutating func subscribersAnswer() -> SubscribersAnswer {
        var answer = SubscribersAnswer(request: integer())
        for destination in PublishingDestination.allCases {
            answer[destination] = list { $0.path() }
        }
        return answer
    }

    mutating func documentAnswer() -> DocumentAnswer {
        DocumentAnswer(request: integer(), document: text())
    }

    mutating func moved() -> Moved {
        Moved(node: integer(), path: path())
    }

    mutating func administer() -> Administer {
        let change: Administer.Change =
            switch Int.random(in: 0...4, using: &self) {
            case 0: .move(path: path(), under: path())
            case 1: .drain(path: path(), withSubtree: isLucky())
            case 2: .detach(path: path(), withSubtree: isLucky())
            case 3: .clearRetained(name: name(), path: path())
            default: .clearUndelivered
            }
        return Administer(request: integer(), change)
    }
}
