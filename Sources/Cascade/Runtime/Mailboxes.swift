// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The mailboxes of a worker's nodes, by path. Nodes add to them from any thread.
final class Mailboxes: Sendable {
    private let mailboxes = Mutex<[NodePath: Mailbox]>([:])

    subscript(path: NodePath) -> Mailbox? {
        mailboxes.withLock { $0[path] }
    }

    var isEmpty: Bool {
        mailboxes.withLock { $0.isEmpty }
    }

    func insert(_ added: [Mailbox]) {
        mailboxes.withLock { mailboxes in
            for mailbox in added {
                mailboxes[mailbox.place.path] = mailbox
            }
        }
    }

    func remove(_ path: NodePath) -> Mailbox? {
        mailboxes.withLock { $0.removeValue(forKey: path) }
    }

    func removeAll() -> [Mailbox] {
        mailboxes.withLock { mailboxes in
            defer { mailboxes = [:] }
            return Array(mailboxes.values)
        }
    }

    /// Returns whether there is a mailbox at the old path.
    func move(_ old: NodePath, to new: NodePath) -> Bool {
        mailboxes.withLock { mailboxes in
            guard let mailbox = mailboxes.removeValue(forKey: old) else {
                return false
            }
            mailbox.place.move(to: new)
            mailboxes[new] = mailbox
            return true
        }
    }
}
