// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import CascadePolicy
import CascadeWire

/// Policy files and queries about them.
extension ScenarioBus {
    /// `policy shop.policy LINE LINE`: loads this file, on a machine where the bus's
    /// user is 900, and the socket's group 901. Spaces in a line are written `\\s`.
    mutating func loadPolicy(_ command: ScenarioCommand) throws(Unusable) {
        let lines = command.words.dropFirst().map { "\($0)\n" }.joined()
        var files: [PolicyFile] = []
        if let file = command.words.first {
            do {
                let noNames = PolicyNames(userID: { _ in nil }, groupID: { _ in nil })
                files = [try PolicyFile(lines, file: file, names: noNames)]
            } catch {
                throw Unusable(reason: error.description)
            }
        }
        handle(.policy(DefaultPolicy(userID: 900, groupID: 901).joined(with: files)))
    }

    /// `ask anna tree [/path]`, `ask anna policy`, `ask anna test VERB /path [uid=7]`, and any
    /// other query, once.
    mutating func ask(_ command: ScenarioCommand) throws(Unusable) {
        let place = try place(named: command.word(0))
        let words = Array(command.words.dropFirst())
        let subject: Query.Subject
        if words.first == "test" {
            let userID: UInt32 = try command.number("uid", or: .max)
            subject = .policyTest(
                PolicyTest(
                    try command.word(2), at: try self.place(ofNode: try command.word(3)),
                    by: userID == .max
                        ? nil : PolicyIdentity(userID: userID, groupIDs: [userID])))
        } else if words.first == "policy" {
            subject = .policy
        } else {
            let options = command.options.map { "\($0.key)=\($0.value)" }
            let rest = ScenarioCommand((words + options).joined(separator: " "))
            let document = try documentQuery(rest)
            subject = if let document { document } else { try query(words) }
        }
        ask(subject, isRepeating: false, as: place)
    }

    private func query(_ words: [String]) throws(Unusable) -> Query.Subject {
        try Self.query(words).subject
    }

    private func place(ofNode text: String) throws(Unusable) -> NodePath {
        do {
            return try NodePath(text)
        } catch {
            throw Unusable(reason: error.description)
        }
    }
}
