// SPDX-License-Identifier: Apache-2.0

package import CascadeInspection
package import CascadeWire

extension Realm {
    /// The sites that are asked at the same time.
    package static let askedMax = 8
    /// The sites in one line from the root site down.
    private static let depthMax = 16

    /// Asks all sites that can be seen, each when its place is known.
    ///
    /// - Parameter ask: Asks the site at a place, in the names of this bus.
    package init(asking ask: @escaping @Sendable (NodePath) async -> SiteReport) async {
        self.init()
        var waiting: [(place: NodePath, depth: Int)] = [(.root, 0)]
        waiting.reserveCapacity(Self.askedMax)
        await withTaskGroup(of: (NodePath, Int, SiteReport).self) { group in
            var asked = 0
            while true {
                while asked < Self.askedMax, let (place, depth) = waiting.popLast() {
                    asked += 1
                    group.addTask { (place, depth, await ask(place)) }
                }
                guard let (place, depth, report) = await group.next() else {
                    return
                }
                asked -= 1
                let next = record(report, of: place)
                if depth < Self.depthMax {
                    waiting += next.map { ($0, depth + 1) }
                }
            }
        }
    }
}
