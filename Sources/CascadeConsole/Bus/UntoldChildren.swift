// SPDX-License-Identifier: Apache-2.0

/// How many children of nodes pages are not told of, with the versions of the view in which these numbers
/// changed.
///
/// The numbers are no part of the rows of nodes: a row is told before those below it, and its number follows
/// from them. Each change has a version of its own, because a frame may end between any two versions.
struct UntoldChildren: Sendable {
    private struct Count: Sendable {
        let count: Int
        let version: UInt64
    }

    private var counts: [Int: Count] = [:]
    private var lastVersion: UInt64 = 0

    /// The number of children of a node that pages are not told of.
    subscript(number: Int) -> Int {
        counts[number]?.count ?? 0
    }

    mutating func set(_ count: Int, below number: Int, version: UInt64) {
        counts[number] = Count(count: max(0, count), version: version)
        lastVersion = version
    }

    /// The nodes of which children are left out.
    var nodes: [Int] {
        counts.filter { $0.value.count > 0 }.map(\.key)
    }

    /// The node has gone.
    mutating func remove(_ number: Int) {
        counts[number] = nil
    }

    /// The numbers of the nodes whose numbers of children have changed since a version.
    func changed(after version: UInt64) -> [(version: UInt64, number: Int, count: Int)] {
        guard lastVersion > version else {
            return []
        }
        return counts.filter { $0.value.version > version }.map { number, count in
            (count.version, number, count.count)
        }
    }
}
