// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// What the model's rules speak of.
extension ReferenceModel {
    /// 1 is the root, and 2n and 2n + 1 lie right below n.
    typealias Place = Int

    /// All places are below this.
    static let placesMax = 32

    /// The names of events and errors.
    struct Name: Hashable, CustomStringConvertible {
        var number: Int

        var description: String {
            Vocabulary.name(self).description
        }

        /// Names below this are given to responders and subscribers; one more is raised.
        static let declaredCount = 3
        static let nodeLost = Name(number: 4)
        static let timedOut = Name(number: 5)
        static let looped = Name(number: 6)
        static let responderFailed = Name(number: 7)
    }

    struct Responder {
        var kind: ResponderKind
        /// `nil` for every name.
        var name: Name?
        var condition: Condition?

        private static let kinds: [Lane: [ResponderKind]] = [
            .event: [.receive, .handle, .transform, .observe],
            .error: [.receiveError, .handleError, .transformError, .catch],
            .request: [.respond, .observe],
            .cascade: [.receive, .handle, .observe],
        ]

        func matches(_ event: Event) -> Bool {
            (name == nil || name == event.message.name)
                && Self.kinds[event.lane]?.contains(kind) == true
                && condition?.holds(for: event.message, from: event.origin) != false
        }
    }

    struct Node {
        var responders: [Responder] = []
        var subscriptions: Set<Name> = []
        var isActive = true
    }

    /// What predicates can find in a message.
    struct Facts: OptionSet {
        let rawValue: Int

        /// The attribute `a` is "1".
        static let attribute = Facts(rawValue: 1)
        /// The payload has a member `a`, which is 1.
        static let number = Facts(rawValue: 2)
        /// The payload has a member `b`, which is "x".
        static let text = Facts(rawValue: 4)
    }

    struct Message: Equatable {
        var name: Name
        var facts: Facts = []
    }

    /// One link of an error's chain of causes.
    struct Trouble: Equatable {
        var name: Name
        var place: Place
    }

    struct Event {
        var lane: Lane
        var message: Message
        var origin: Place
        var startsAtOrigin = false
        var passesOnLoss = false
        var causes = 0

        /// The error that it is, or was before it was caught, with its causes behind it.
        var errors: [Trouble] = []
        /// Whether anything went wrong on its way.
        var hasFailed = false
        /// Whether the error that it is came of its deadline.
        var hasTimedOut = false
        /// Whether its deadline has passed once.
        var isLate = false
        /// The nodes that a cascade ran at.
        var ran: [Place] = []

        /// Goes on as an error, which keeps the one that was being handled as its cause. Nothing
        /// stops a cascade.
        mutating func fail(_ error: Message, at place: Place, isTimeout: Bool = false) {
            guard lane != .cascade else {
                return
            }
            errors = [Trouble(name: error.name, place: place)] + (lane == .error ? errors : [])
            message = error
            lane = .error
            hasFailed = true
            hasTimedOut = isTimeout
        }

        /// A transformed error began where it did before; what is caught is an event again.
        mutating func replace(by new: Message, as kind: ResponderKind) {
            message = new
            if kind == .transformError {
                errors[0].name = new.name
            } else {
                lane = .event
            }
        }
    }

    struct Visit: Equatable {
        var place: Place
        var responder: Int
        var kind: ResponderKind
        var lane: Lane
        var message: Message
        var errors: [Trouble]
    }

    /// What a responder does, or what happens to it.
    enum Answer: Equatable {
        case passed
        case handled
        case answered(Facts)
        case replaced(Message)
        case threw(Message)
        /// It does not answer, and its node takes nothing else if that is busy.
        case silent(isBusy: Bool)
        /// Its session is lost, with all that it holds, after it accepted the event, or before.
        case lost([Place])
        case neverAsked([Place])
    }

    struct Outcome: Equatable {
        var code: OutcomeCode
        var place: Place
        var responder: Int
        var reply: Facts?
        var errors: [Trouble]
        var ran: [Place]

        init(
            _ code: OutcomeCode, by place: Place = 0, _ responder: Int = 0, reply: Facts? = nil,
            errors: [Trouble] = [], ran: [Place] = []
        ) {
            self.code = code
            self.place = place
            self.responder = responder
            self.reply = reply
            self.errors = errors
            self.ran = ran
        }
    }
}
