// SPDX-License-Identifier: Apache-2.0

import CascadeJSON
import CascadeWire

/// What the console remembers of the tree besides the nodes that it shows.
struct FollowedTree: Sendable {
    /// The number of nodes that pages are told of. Of a larger tree they are told the upper levels.
    static let toldCountMax = 100_000

    /// Whether the bus has told the upper levels alone, because all would be too much for an answer.
    var isCut = false
    /// The numbers of nodes by their paths, and by the numbers of their places on the bus.
    var numbers: [NodePath: Int] = [:]
    var numbersOfPlaces: [UInt32: Int] = [:]
    var lastNumber = 0
    /// The counters from which the next rates follow.
    var readings: [Int: NodeReading] = [:]
    /// When the bus told the counters last, and the nodes that were busy then.
    var readAt: Timestamp?
    var busy: Set<Int> = []
}

/// The nodes: how they come, change, and go.
extension BusView {
    /// The time in microseconds after which counters say nothing of the present rate.
    private static let readingAgeMax: UInt64 = 5_000_000

    /// The nodes at which sites stand.
    var mounts: [NodeSnapshot] {
        nodes.all.filter { $0.appearance.site != nil }.map { node in
            var mount = NodeSnapshot(
                path: node.path, state: node.appearance.state, isActive: true, ageMicroseconds: 0,
                childCount: 0)
            mount.isMount = true
            return mount
        }
    }

    // MARK: - Tree

    /// Takes a tree's answer: the whole tree, or what has changed.
    ///
    /// - Parameter isCut: Whether the bus was asked for the upper levels alone.
    mutating func received(
        tree answer: TreeAnswer, isCut: Bool = false, now: Timestamp,
        userName: (UInt32) -> String?
    ) {
        when = now
        tree.isCut = isCut
        isOlder = answer.version == 0
        if answer.hasOnlyChanges {
            for place in answer.gone {
                if let number = tree.numbersOfPlaces[place] {
                    remove(number)
                }
            }
        } else {
            removeAll(but: answer.nodes)
        }
        for snapshot in inOrderOfTelling(answer) {
            take(snapshot, now, userName)
        }
        tellMore()
        gone.removeFirst(max(0, gone.count - Self.goneCountMax))
    }

    /// The nodes of an answer in the tree's order; level by level if there are too many to be told.
    private func inOrderOfTelling(_ answer: TreeAnswer) -> [NodeSnapshot] {
        guard answer.nodes.count > toldCountMax else {
            return answer.nodes
        }
        return answer.nodes.inOrder(ofLevels: \.path.depth)
    }

    /// Removes the nodes that a whole tree does not have.
    private mutating func removeAll(but snapshots: [NodeSnapshot]) {
        var present: Set<Int> = []
        for snapshot in snapshots {
            if let number = number(of: snapshot) {
                present.insert(number)
            }
        }
        let absent = nodes.all.map(\.number).filter { !present.contains($0) }
        for number in absent.sorted() {
            remove(number)
        }
    }

    /// The number of the node; `nil` if it is new.
    private func number(of snapshot: NodeSnapshot) -> Int? {
        guard let place = snapshot.number else {
            return tree.numbers[snapshot.path]
        }
        return tree.numbersOfPlaces[place]
    }

    private mutating func remove(_ number: Int) {
        guard let node = nodes.remove(number) else {
            return
        }
        if tree.numbers[node.path] == number {
            tree.numbers[node.path] = nil
        }
        if let place = node.place {
            tree.numbersOfPlaces[place] = nil
        }
        tree.readings[number] = nil
        tree.busy.remove(number)
        if node.isTold {
            gone.append(Versioned(version: next(), json: .integer(number)))
        }
    }

    // MARK: - The nodes that are told

    /// The number of known nodes that pages are not told of.
    private var untoldCount: Int {
        nodes.count - nodes.toldCount
    }

    /// The number of nodes that pages are not told of; `nil` unless the tree is too large.
    var untold: Int? {
        guard tree.isCut || nodes.count > toldCountMax else {
            return nil
        }
        return max(nodes.count, tree.isCut ? nodeCount : 0) - nodes.toldCount
    }

    /// Whether a node below this one may be told.
    private func isTold(_ parent: Int) -> Bool {
        parent == 0 || nodes[parent]?.isTold == true
    }

    /// Tells of nodes for which there is room now, those of the upper levels first.
    private mutating func tellMore() {
        guard untoldCount > 0, nodes.toldCount < toldCountMax else {
            return
        }
        let untold = nodes.all.filter { !$0.isTold }.sorted {
            ($0.path.depth, $0.number) < ($1.path.depth, $1.number)
        }
        for var node in untold where isTold(node.parent) && nodes.toldCount < toldCountMax {
            node.isTold = true
            node.version = next()
            nodes.update(node)
        }
    }

    private mutating func take(
        _ snapshot: NodeSnapshot, _ now: Timestamp, _ userName: (UInt32) -> String?
    ) {
        let path = snapshot.path
        let appearance = ShownNode.Appearance(
            snapshot, user: snapshot.holder.flatMap { userName($0.userID) })
        let parent = path.parent.flatMap { tree.numbers[$0] } ?? 0
        let reading = NodeReading(
            when: now, session: snapshot.holder?.session, counters: NodeCounters(snapshot.counters))
        guard let number = number(of: snapshot), var node = nodes[number] else {
            add(path, snapshot.number, parent, appearance, reading)
            return
        }
        if node.isTold, !isTold(parent) {
            // It has moved to where nothing is told.
            node.isTold = false
            gone.append(Versioned(version: next(), json: .integer(number)))
        }
        if node.appearance != appearance || node.path.name != path.name || node.parent != parent {
            node.appearance = appearance
            node.version = next()
        }
        if node.path != path {
            if tree.numbers[node.path] == number {
                tree.numbers[node.path] = nil
            }
            tree.numbers[path] = number
            node.path = path
        }
        node.parent = parent
        nodes.update(node)
        // The rates of a bus that tells of activity follow from that.
        if snapshot.number == nil {
            show(ShownNode.Activity(reading, since: tree.readings[number]), of: number)
            tree.readings[number] = reading
        } else if tree.readings[number]?.session != reading.session {
            tree.readings[number] = reading
        }
    }

    private mutating func add(
        _ path: NodePath, _ place: UInt32?, _ parent: Int, _ appearance: ShownNode.Appearance,
        _ reading: NodeReading
    ) {
        tree.lastNumber += 1
        let number = tree.lastNumber
        let version = next()
        tree.numbers[path] = number
        if let place {
            tree.numbersOfPlaces[place] = number
        }
        tree.readings[number] = reading
        nodes.update(
            ShownNode(
                number: number, place: place, path: path, parent: parent, appearance: appearance,
                activity: ShownNode.Activity(reading, since: nil),
                isTold: isTold(parent) && nodes.toldCount < toldCountMax, version: version,
                activityVersion: version))
    }

    // MARK: - Activity

    /// Takes the counters of the nodes whose counters have changed since the answer before.
    mutating func received(activity answer: ActivityAnswer, now: Timestamp) {
        when = now
        let before = tree.readAt.flatMap { readAt in
            answer.when > readAt
                && answer.when.microseconds(since: readAt) <= Self.readingAgeMax ? readAt : nil
        }
        tree.readAt = answer.when
        let formerlyBusy = tree.busy
        tree.busy = []
        for row in answer.rows {
            guard let number = tree.numbersOfPlaces[row.number] else {
                continue
            }
            take(row.counters, of: number, at: answer.when, since: before)
        }
        // Nothing is known of those that the answer had no room for.
        guard answer.otherCount == 0 else {
            tree.busy.formUnion(formerlyBusy)
            return
        }
        for number in formerlyBusy.subtracting(tree.busy).sorted() {
            if var activity = nodes[number]?.activity, activity.perSecond != 0 {
                activity.perSecond = 0
                show(activity, of: number)
            }
        }
    }

    /// - Parameter before: When the counters had the values that are known; `nil` if that is long ago.
    private mutating func take(
        _ counters: NodeCounters, of number: Int, at moment: Timestamp, since before: Timestamp?
    ) {
        let session = tree.readings[number]?.session
        let reading = NodeReading(when: moment, session: session, counters: counters)
        var known = before == nil ? nil : tree.readings[number]
        if let before, let when = known?.when {
            // A node without a row had these counters until the answer before.
            known?.when = max(when, before)
        }
        tree.readings[number] = reading
        let activity = ShownNode.Activity(reading, since: known)
        if activity.perSecond > 0 {
            tree.busy.insert(number)
        }
        show(activity, of: number)
    }

    private mutating func show(_ activity: ShownNode.Activity, of number: Int) {
        guard var node = nodes[number], node.activity != activity else {
            return
        }
        node.activity = activity
        node.activityVersion = next()
        nodes.update(node)
    }
}

extension Array {
    /// Returns nodes level by level, and those of a level in their order here.
    func inOrder(ofLevels level: (Element) -> Int) -> [Element] {
        let levels = Dictionary(grouping: self, by: level)
        return levels.keys.sorted().flatMap { levels[$0] ?? [] }
    }
}
