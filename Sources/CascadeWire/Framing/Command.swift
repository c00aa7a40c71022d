// SPDX-License-Identifier: Apache-2.0

/// What a message is: the first byte of each. Protocol.md has a table for each command.
@usableFromInline
package enum Command: UInt8, Sendable, CaseIterable {
    // A session and its nodes.
    case hello = 1
    case welcome = 2
    case attach = 3
    case attached = 4
    case change = 5
    case leave = 6
    case detached = 7
    case refused = 8
    case violation = 9
    case beat = 10
    case credit = 11
    case define = 12
    case done = 13
    case moved = 14

    // Events on their way up.
    case trigger = 16
    case visit = 17
    case accept = 18
    case verdict = 19
    case outcome = 20
    case itinerary = 21
    case cancel = 22
    case accepted = 23

    // Publications on their way down.
    case publish = 24
    case delivery = 25

    // What became of durable events.
    case settled = 26
    case received = 27
    case recall = 28

    // Inspection and administration.
    case query = 32
    case answer = 33
    case activate = 34
    case administer = 35

    // Environment and preferences.
    case set = 40
    case environment = 41
}
