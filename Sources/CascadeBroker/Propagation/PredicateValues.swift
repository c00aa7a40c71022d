// SPDX-License-Identifier: Apache-2.0

import CascadeExpressions
import CascadeWire

/// The data of an event that predicates can read, created when a predicate first reads it.
struct PredicateValues: Sendable {
    private let attributes: [String: String]
    private let members: TopLevelScalars

    /// Reads a message's fields and payload. A payload that is not JSON has no members, and
    /// unreadable fields have no attributes: a comparison with a missing value is false.
    init(_ payload: Payload) {
        self.init(fields: payload.fields, TopLevelScalars(payload.body))
    }

    init(fields: [UInt8], payload: [UInt8]) {
        self.init(fields: fields, TopLevelScalars(payload))
    }

    private init(fields: [UInt8], _ members: TopLevelScalars) {
        let raised = (try? RaisedFields(fields: FieldReader(fields)))?.attributes ?? []
        var attributes: [String: String] = [:]
        for attribute in raised {
            attributes[attribute.key] = attribute.value
        }
        self.attributes = attributes
        self.members = members
    }

    /// An attribute precedes a member of the same name. The bounds of members hold for it too.
    subscript(name: String) -> Scalar? {
        if let attribute = attributes[name] {
            let isReadable = attribute.utf8.count <= TopLevelScalars.stringByteCountMax
            return isReadable ? .string(attribute) : nil
        }
        return members[name]
    }
}

/// The values of the event whose predicates were evaluated last. Predicates of one event mostly
/// follow one another, and the values of all waiting events could be many times the size of their
/// messages.
struct LastPredicateValues: Sendable {
    private var last: (event: EventIndex, values: PredicateValues)?
    /// Steps of all predicates until now, and of reading the messages for them.
    private(set) var stepCount: UInt64 = 0
    /// Steps about the events of each account during the input that is being handled.
    private var stepsOfInput: [AccountIndex: Int] = [:]

    /// - Parameter payload: The event's, read unless the event was the last one.
    mutating func values(
        of event: EventIndex, _ payload: Payload, of account: AccountIndex
    ) -> PredicateValues {
        if let last, last.event == event {
            return last.values
        }
        add(payload.count / Self.bytesPerStep, of: account)
        let values = PredicateValues(payload)
        last = (event, values)
        return values
    }

    /// The event has another message, or has ended.
    mutating func forget(_ event: EventIndex) {
        if last?.event == event {
            last = nil
        }
    }

    mutating func add(_ steps: Int, of account: AccountIndex) {
        stepCount += UInt64(clamping: steps)
        stepsOfInput[account, default: 0] += steps
    }

    /// Steps about the events of an account during this input. An input may have many events go on
    /// at once, as the loss of a node does.
    func stepCountOfInput(of account: AccountIndex) -> Int {
        stepsOfInput[account] ?? 0
    }

    mutating func endInput() {
        if !stepsOfInput.isEmpty {
            stepsOfInput.removeAll(keepingCapacity: true)
        }
    }

    /// Bytes of JSON that are read in the time of one step.
    private static let bytesPerStep = 4
}
