// SPDX-License-Identifier: Apache-2.0

/// An action on a bus that a policy allows or denies.
@usableFromInline
package enum PolicyVerb: UInt8, Sendable, CaseIterable {
    /// Hold a node at the path: answer its visits, set and read its environment.
    case attach
    /// Subscribe with a node at the path.
    case subscribe
    /// Raise events, errors, requests and cascades from the path.
    case trigger
    /// Publish from the path.
    case publish
    /// Set values of the environment at the path from outside the tree.
    case set
    /// Inspect the path and monitor its events.
    case inspect
    /// Change the tree at the path, and the messages that the bus has stored.
    case administer
    /// Connect another bus at the path: hold `/` for what is above the bus, or a mount for what is
    /// below it.
    case uplink

    /// The name of the verb in policy files.
    package var name: String {
        "\(self)"
    }

    /// Creates the verb with a name; `nil` if no verb has it.
    package init?(name: some StringProtocol) {
        guard let verb = Self.allCases.first(where: { $0.name == name }) else {
            return nil
        }
        self = verb
    }

    /// The action as error sentences name it, before a path.
    package var phrase: String {
        switch self {
        case .attach: "attach at"
        case .subscribe: "subscribe at"
        case .trigger: "trigger at"
        case .publish: "publish at"
        case .set: "set values at"
        case .inspect: "inspect"
        case .administer: "administer"
        case .uplink: "connect another bus at"
        }
    }
}

/// A set of verbs.
@usableFromInline
package struct PolicyVerbs: OptionSet, Sendable, Hashable {
    @usableFromInline package let rawValue: UInt8

    @inlinable
    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    package init(_ verb: PolicyVerb) {
        rawValue = 1 << verb.rawValue
    }

    /// All verbs.
    package static let all = PolicyVerbs(
        PolicyVerb.allCases.map { PolicyVerbs($0) })

    @inlinable @inline(__always)
    package func contains(_ verb: PolicyVerb) -> Bool {
        rawValue & 1 << verb.rawValue != 0
    }

    /// The verbs of the set, in the order of their declaration.
    package var each: [PolicyVerb] {
        PolicyVerb.allCases.filter { contains($0) }
    }
}
