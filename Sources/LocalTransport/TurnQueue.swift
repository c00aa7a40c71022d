// SPDX-License-Identifier: Apache-2.0

import DequeModule

/// A queue in which users take turns: an element of each user that has some, and then the next of the
/// first. So a user with thousands of busy connections delays another user by one turn.
package struct TurnQueue<User: Hashable, Element> {
    private var elements: [User: Deque<Element>] = [:]
    /// The users with elements, in the order of their turns.
    private var users = Deque<User>()

    /// Users up to this number keep their empty queues, so that the steady state allocates nothing.
    private static var emptyQueuesMax: Int { 64 }

    package init() {}

    package var isEmpty: Bool {
        users.isEmpty
    }

    package mutating func append(_ element: Element, of user: User) {
        if elements[user]?.isEmpty ?? true {
            users.append(user)
        }
        elements[user, default: []].append(element)
    }

    package mutating func popFirst() -> Element? {
        guard let user = users.popFirst(), let element = elements[user]?.popFirst() else {
            return nil
        }
        if let rest = elements[user], !rest.isEmpty {
            users.append(user)
        } else if elements.count > Self.emptyQueuesMax {
            elements[user] = nil
        }
        return element
    }
}
