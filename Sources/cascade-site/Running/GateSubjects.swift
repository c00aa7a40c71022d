// SPDX-License-Identifier: Apache-2.0

import CascadeSite

/// The subjects of a gate's links, which are remembered: a link has one for all messages of a direction.
struct GateSubjects {
    /// The number of subjects of a direction that are remembered, more than one for each child.
    private static let countMax = 2 * GateConfiguration.childCountMax

    private let subjects: LinkSubjects
    private var senders: [String: (child: SiteName, address: LinkAddress)] = [:]
    private var down: [LinkKey: String] = [:]

    init(_ subjects: LinkSubjects) {
        self.subjects = subjects
    }

    /// The pattern of the subjects to which the children send.
    var upPattern: String {
        subjects.upPattern
    }

    /// Returns who sends to a subject; `nil` if no child does.
    mutating func sender(of subject: String) -> (child: SiteName, address: LinkAddress)? {
        if let sender = senders[subject] {
            return sender
        }
        guard let sender = subjects.parse(up: subject) else {
            return nil
        }
        if senders.count >= Self.countMax {
            senders = [:]
        }
        senders[subject] = sender
        return sender
    }

    /// The subject to which the gate sends.
    mutating func down(_ child: SiteName, _ address: LinkAddress) -> String {
        guard case .link(let link) = address else {
            return subjects.down(child, address)
        }
        return down(LinkKey(child, link))
    }

    /// The subject of a link to which the gate sends.
    mutating func down(_ key: LinkKey) -> String {
        if let subject = down[key] {
            return subject
        }
        if down.count >= Self.countMax {
            down = [:]
        }
        let subject = subjects.down(key.child, .link(key.link))
        down[key] = subject
        return subject
    }
}
