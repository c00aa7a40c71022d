// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// The rules of the tree as they are written down: recursive, naive, and without a line of the
/// broker's.
///
/// A place is the list of its components, names and components are numbers. It knows no sessions
/// and no time: one event goes up, one publication goes down.
struct ReferenceModel {
    typealias Place = [Int]

    struct Responder {
        var kind: ResponderKind
        /// `nil` for every name.
        var name: Int?
    }

    struct Node {
        var responders: [Responder] = []
        var subscriptions: Set<Int> = []
        var isActive = true
    }

    struct Visit: Equatable {
        var place: Place
        var responder: Int
        var name: Int
    }

    enum Answer: Equatable {
        case passed
        case handled
        case failed
        case replaced(Int)
    }

    enum Outcome: Equatable {
        case handled(Place, responder: Int)
        case unhandled
        case failed(Place)
    }

    /// The nodes that somebody holds. A place above one of them that is not among them is vacant.
    private(set) var nodes: [Place: Node] = [:]
    /// The nodes, the most recently activated last.
    private var recency: [Place] = []

    // MARK: - The tree

    mutating func attach(_ place: Place, _ node: Node) {
        nodes[place] = node
        activateMostRecently(place)
    }

    /// Being activated or subscribing to something new makes a node the most recent.
    mutating func change(_ place: Place, _ node: Node) {
        let old = nodes[place] ?? Node()
        nodes[place] = node
        let isActivated = node.isActive && !old.isActive
        if isActivated || !node.subscriptions.isSubset(of: old.subscriptions) {
            activateMostRecently(place)
        }
    }

    mutating func activate(_ place: Place, _ isActive: Bool) {
        nodes[place]?.isActive = isActive
        if isActive {
            activateMostRecently(place)
        }
    }

    mutating func remove(_ place: Place) {
        nodes[place] = nil
        recency.removeAll { $0 == place }
    }

    private mutating func activateMostRecently(_ place: Place) {
        recency.removeAll { $0 == place }
        recency.append(place)
    }

    // MARK: - Up

    /// Lets an event cascade from a place on. `answer` is what the responders do.
    func ascend(
        _ name: Int, from place: Place, responder index: Int = 0, visits: inout [Visit],
        answer: (Visit, ResponderKind) -> Answer
    ) -> Outcome {
        let responders = nodes[place]?.responders ?? []
        guard index < responders.count else {
            guard !place.isEmpty else {
                return .unhandled
            }
            return ascend(name, from: place.dropLast(), visits: &visits, answer: answer)
        }
        let responder = responders[index]
        var nameAbove = name
        if responder.name == nil || responder.name == name {
            let visit = Visit(place: place, responder: index, name: name)
            visits.append(visit)
            switch answer(visit, responder.kind) {
            case .handled: return .handled(place, responder: index)
            case .failed where responder.kind != .observe: return .failed(place)
            case .passed, .failed: break
            case .replaced(let new): nameAbove = new
            }
        }
        return ascend(
            nameAbove, from: place, responder: index + 1, visits: &visits, answer: answer)
    }

    // MARK: - Down

    /// Who gets a publication, in the order of their activation.
    func recipients(
        of name: Int, from publisher: Place, to destination: PublishingDestination
    ) -> [Place] {
        let above = (0..<publisher.count).map { Array(publisher.prefix($0)) }
        guard above.allSatisfy({ nodes[$0]?.isActive != false }) else {
            return []
        }
        let subscribers = descend(name, publisher, level: 0)
        let levels = subscribers.values
        let chosen = recency.filter { place in
            switch destination {
            case .all: subscribers[place] != nil
            case .firstLevel: subscribers[place] == 0
            case .lastLevel, .last: subscribers[place] != nil && subscribers[place] == levels.max()
            }
        }
        return destination == .last ? chosen.suffix(1) : chosen
    }

    /// The active subscribers at and below a place, with their levels.
    private func descend(_ name: Int, _ place: Place, level: Int) -> [Place: Int] {
        let node = nodes[place]
        guard node?.isActive != false else {
            return [:]
        }
        let isSubscriber = node?.subscriptions.contains(name) == true
        var found: [Place: Int] = isSubscriber ? [place: level] : [:]
        let below = nodes.keys.filter { $0.count > place.count && $0.starts(with: place) }
        for child in Set(below.map { Array($0.prefix(place.count + 1)) }) {
            let deeper = descend(name, child, level: isSubscriber ? level + 1 : level)
            found.merge(deeper) { first, _ in first }
        }
        return found
    }
}
