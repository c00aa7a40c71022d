// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// The values that the model's rules use.
extension ReferenceModel {
    /// 1 is the root, and 2n and 2n + 1 are the children of n.
    typealias Place = Int

    /// All places are below this.
    static let placesMax = 32

    /// The names of events and errors.
    struct Name: Hashable, CustomStringConvertible {
        var number: Int

        var description: String {
            Vocabulary.name(self).description
        }

        /// Responders and subscribers have names below this; messages may have one more.
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

    /// The facts that predicates can test in a message.
    struct PredicateValues: OptionSet {
        let rawValue: Int

        /// The attribute `a` is "1".
        static let attribute = PredicateValues(rawValue: 1)
        /// The payload has a member `a`, which is 1.
        static let number = PredicateValues(rawValue: 2)
        /// The payload has a member `b`, which is "x".
        static let text = PredicateValues(rawValue: 4)
    }

    struct Message: Equatable {
        var name: Name
        var facts: PredicateValues = []
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

        /// The error, or the error before it was caught, followed by its causes.
        var errors: [Trouble] = []
        /// Whether a responder has failed.
        var hasFailed = false
        /// Whether the error is that of its deadline.
        var hasTimedOut = false
        /// Whether its deadline has passed once.
        var isLate = false
        /// The nodes at which a cascade has run.
        var ran: [Place] = []

        /// Continues as an error, with the error that was being handled as its cause. Nothing
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

        /// A transformed error keeps its start; a caught error becomes an event again.
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

    /// The answer of a responder, or its failure to answer.
    enum Answer: Equatable {
        case passed
        case handled
        case answered(PredicateValues)
        case replaced(Message)
        case threw(Message)
        /// It does not answer, and its node accepts nothing else if it is busy.
        case silent(isBusy: Bool)
        /// Its session is lost with all its nodes after it accepted the event, or before.
        case lost([Place])
        case neverAsked([Place])
    }

    struct Outcome: Equatable {
        var code: OutcomeCode
        var place: Place
        var responder: Int
        var reply: PredicateValues?
        var errors: [Trouble]
        var ran: [Place]

        init(
            _ code: OutcomeCode, by place: Place = 0, _ responder: Int = 0,
            reply: PredicateValues? = nil,
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
