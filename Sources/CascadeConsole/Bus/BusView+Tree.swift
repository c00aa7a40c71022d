// SPDX-License-Identifier: Apache-2.0

import CascadeJSON
import CascadeWire

/// What the console remembers of the tree besides the nodes that it shows.
struct FollowedTree: Sendable {
    /// The number of nodes that pages are told of. Of a larger tree they are told the upper levels.
    static let toldCountMax = 100_000

    /// The number of levels below the root that the bus has told, because all would be too much for an
    /// answer; `nil` if it has told all.
    var depth: Int?
    /// The numbers of nodes by their paths, and by the numbers of their places on the bus.
    var numbers: [NodePath: Int] = [:]
    var numbersOfPlaces: [UInt32: Int] = [:]
    var lastNumber = 0
    var untold = UntoldChildren()
    /// The counters from which the next rates follow.
    var readings: [Int: NodeReading] = [:]
    /// When the bus told the counters last, and the nodes that were busy then.
    var readAt: Timestamp?
    var busy: Set<Int> = []
}

/// The nodes: how they come, change, and go.
extension BusView {
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
    /// - Parameter depth: The number of levels below the root for which the bus was asked; `nil` for all.
    mutating func received(
        tree answer: TreeAnswer, depth: Int? = nil, now: Timestamp,
        userName: (UInt32) -> String?
    ) {
        when = now
        tree.depth = depth
        isOlder = answer.version == 0
        if answer.hasOnlyChanges {
            for place in answer.gone {
                if let number = tree.numbersOfPlaces[place] {
                    remove(number)
                }
            }
        } else {
            removeAll(but: answer.nodes)
            recountUntold()
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
        tree.untold.remove(number)
        if node.isTold {
            gone.append(Versioned(version: next(), json: .integer(number)))
        } else {
            countUntold(below: node.parent, by: -1)
        }
    }

    // MARK: - The nodes that are told

    /// The number of known nodes that pages are not told of.
    private var untoldCount: Int {
        nodes.count - nodes.toldCount
    }

    /// The number of nodes that pages are not told of; `nil` unless the tree is too large.
    var untold: Int? {
        guard tree.depth != nil || nodes.count > toldCountMax else {
            return nil
        }
        return max(nodes.count, tree.depth == nil ? 0 : nodeCount) - nodes.toldCount
    }

    /// Counts children of a node that pages are not told of, or no more.
    private mutating func countUntold(below parent: Int, by difference: Int) {
        if nodes[parent] != nil {
            tree.untold.set(tree.untold[parent] + difference, below: parent, version: next())
        }
    }

    /// Counts those of a whole tree anew, of which the bus may have told another number of levels.
    private mutating func recountUntold() {
        for number in tree.untold.nodes {
            tree.untold.set(0, below: number, version: next())
        }
        for node in nodes.all where !node.isTold {
            countUntold(below: node.parent, by: 1)
        }
    }

    /// The children of a node of the last level that the bus has told are known by their number alone.
    private mutating func countUntold(below number: Int, _ snapshot: NodeSnapshot) {
        let count = Int(snapshot.childCount)
        if snapshot.path.depth == tree.depth, tree.untold[number] != count {
            tree.untold.set(count, below: number, version: next())
        }
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
            setVersions(&node)
            nodes.update(node)
            countUntold(below: node.parent, by: -1)
            if tree.untold[node.number] > 0 {
                // Pages were told nothing of what is below it.
                countUntold(below: node.number, by: 0)
            }
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
            let number = add(path, snapshot.number, parent, appearance, reading)
            countUntold(below: number, snapshot)
            return
        }
        countUntold(below: number, snapshot)
        if !node.isTold, node.parent != parent {
            countUntold(below: node.parent, by: -1)
            countUntold(below: parent, by: 1)
        }
        if node.isTold, !isTold(parent) {
            // It has moved to where nothing is told.
            node.isTold = false
            gone.append(Versioned(version: next(), json: .integer(number)))
            countUntold(below: parent, by: 1)
        }
        if node.appearance != appearance || node.path.name != path.name || node.parent != parent {
            node.appearance = appearance
            setVersions(&node)
        }
        if node.path != path {
            if node.path.depth == tree.depth, path.depth != tree.depth, tree.untold[number] > 0 {
                // Its children come one by one from now on, or are told no more.
                tree.untold.set(0, below: number, version: next())
            }
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

    /// Gives a node that has changed new versions, so that pages are told of it, and then of its activity: a
    /// page that does not know the node would not take that.
    private mutating func setVersions(_ node: inout ShownNode) {
        node.version = next()
        if node.activity != .init() {
            node.activityVersion = next()
        }
    }

    private mutating func add(
        _ path: NodePath, _ place: UInt32?, _ parent: Int, _ appearance: ShownNode.Appearance,
        _ reading: NodeReading
    ) -> Int {
        tree.lastNumber += 1
        let number = tree.lastNumber
        tree.numbers[path] = number
        if let place {
            tree.numbersOfPlaces[place] = number
        }
        tree.readings[number] = reading
        let isTold = isTold(parent) && nodes.toldCount < toldCountMax
        var node = ShownNode(
            number: number, place: place, path: path, parent: parent, appearance: appearance,
            activity: ShownNode.Activity(reading, since: nil), isTold: isTold, version: 0,
            activityVersion: 0)
        setVersions(&node)
        nodes.update(node)
        if !isTold {
            countUntold(below: parent, by: 1)
        }
        return number
    }
}

extension Array {
    /// Returns nodes level by level, and those of a level in their order here.
    func inOrder(ofLevels level: (Element) -> Int) -> [Element] {
        let levels = Dictionary(grouping: self, by: level)
        return levels.keys.sorted().flatMap { levels[$0] ?? [] }
    }
}
