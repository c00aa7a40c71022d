// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// A walk along one path after another. The components that a path shares with the path before are
/// not looked up again, so that a chain of nodes costs one step for each of them.
struct PathWalk<Place> {
    private let root: Place
    private var last = NodePath.root
    /// The places along ``last``, below the root.
    private var places: [Place] = []
    /// The number of components that were looked up.
    private(set) var stepCount = 0

    init(from root: Place) {
        self.root = root
    }

    /// Goes to the end of `path`; `next` returns the place of a component below a place.
    mutating func go(
        to path: NodePath, next: (_ parent: Place, _ component: String) -> Place
    ) -> Place {
        let shared = Self.shared(last, path)
        places.removeLast(places.count - shared.count)
        last = path
        let rest = path.description.utf8.dropFirst(shared.byteCount + 1)
        guard !rest.isEmpty else {
            return places.last ?? root
        }
        for component in rest.split(separator: UInt8(ascii: "/")) {
            stepCount += 1
            let parent = places.last ?? root
            places.append(next(parent, String(Substring(component))))
        }
        return places.last ?? root
    }

    /// How many leading components two paths share, and how many bytes those have.
    private static func shared(_ left: NodePath, _ right: NodePath) -> (count: Int, byteCount: Int)
    {
        var (left, right) = (left.description, right.description)
        return left.withUTF8 { left in
            right.withUTF8 { right in
                shared(left, right)
            }
        }
    }

    private static func shared(
        _ left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>
    ) -> (count: Int, byteCount: Int) {
        let slash = UInt8(ascii: "/")
        guard left.count > 1, right.count > 1 else {
            return (0, 0)
        }
        var count = 0
        var byteCount = 0
        var offset = 1
        while true {
            let isLeftEnd = offset == left.count || left[offset] == slash
            let isRightEnd = offset == right.count || right[offset] == slash
            if isLeftEnd, isRightEnd {
                count += 1
                byteCount = offset
            }
            guard offset < left.count, offset < right.count, left[offset] == right[offset] else {
                return (count, byteCount)
            }
            offset += 1
        }
    }
}

extension Hierarchy {
    /// The places that some paths have, and would need.
    struct Survey {
        /// The existing place of each path.
        var places: [NodeIndex?] = []
        /// How many places would have to be made for all of the paths to exist.
        var missingCount = 0
    }

    /// A place that a surveyed path leads to.
    private enum SurveyedPlace: Hashable {
        case existing(NodeIndex)
        /// One that would have to be made; the number tells it from the others.
        case missing(Int)
    }

    private struct MissingChild: Hashable {
        var parent: SurveyedPlace
        var component: String
    }

    /// Looks the paths up; `nil` if that takes more than `stepCountMax` steps.
    func survey(_ paths: some Sequence<NodePath>, stepCountMax: Int = .max) -> Survey? {
        var survey = Survey()
        var missing: [MissingChild: Int] = [:]
        var walk = PathWalk(from: SurveyedPlace.existing(Self.root))
        for path in paths {
            let place = walk.go(to: path) { parent, component in
                if case .existing(let parent) = parent,
                    let child = children[Child(parent: parent, component: component)]
                {
                    return .existing(child)
                }
                let key = MissingChild(parent: parent, component: component)
                let number = missing[key] ?? missing.count
                missing[key] = number
                return .missing(number)
            }
            guard walk.stepCount <= stepCountMax else {
                return nil
            }
            if case .existing(let node) = place {
                survey.places.append(node)
            } else {
                survey.places.append(nil)
            }
        }
        survey.missingCount = missing.count
        return survey
    }

    /// How many places would have to be made for all of `paths` to exist.
    func missingCount(_ paths: some Sequence<NodePath>) -> Int {
        survey(paths)?.missingCount ?? 0
    }

    /// Returns the place at `path`. A missing place is created vacant, with its missing ancestors.
    ///
    /// - Parameters:
    ///   - payer: the account charged for a new place.
    ///   - walk: the walk along the previous paths. No place on the last of them may have been
    ///     removed since.
    mutating func findOrMake(
        _ path: NodePath, at now: Instant, payer: AccountIndex = AccountTable.own,
        along walk: inout PathWalk<NodeIndex>
    ) -> NodeIndex {
        walk.go(to: path) { parent, component in
            let key = Child(parent: parent, component: component)
            return children[key] ?? make(key, at: now, payer)
        }
    }
}

extension NodeRecord {
    /// Bytes charged for a place to its user: about the memory that it takes, with its component
    /// and its entry among the children of its parent.
    static let placeByteCount = 640
}
