// SPDX-License-Identifier: Apache-2.0

/// What somebody may do on a bus, or may not.
package enum PolicyVerb: UInt8, Sendable, CaseIterable {
    /// Hold a node there: answer what reaches it, set and read its environment.
    case attach
    /// Subscribe with a node that is there.
    case subscribe
    /// Raise events, errors, requests and cascades from there.
    case trigger
    /// Publish from there.
    case publish
    /// Set values of the environment there, from outside.
    case set
    /// Look at what is there, and at what happens there.
    case inspect
    /// Change the tree there, and what the bus keeps.
    case administer

    /// As a file of policy spells it.
    package var name: String {
        "\(self)"
    }

    /// The verb that is spelled so.
    package init?(name: some StringProtocol) {
        guard let verb = Self.allCases.first(where: { $0.name == name }) else {
            return nil
        }
        self = verb
    }

    /// What somebody does at a path, in a sentence.
    package var phrase: String {
        switch self {
        case .attach: "attach at"
        case .subscribe: "subscribe at"
        case .trigger: "trigger at"
        case .publish: "publish at"
        case .set: "set values at"
        case .inspect: "inspect"
        case .administer: "administer"
        }
    }
}
