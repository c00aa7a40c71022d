// SPDX-License-Identifier: Apache-2.0

package import CascadeWire

/// The sites above this one, nearest first. They give the places of all sites their names at this bus.
///
/// The name of a place is its path if it is at or below this bus, and a foreign place otherwise: that of
/// the nearest site above this one at or below which it is. So each place has one name here.
package struct SitesAbove: Equatable, Sendable {
    /// A site above, and the node at which the next site below it stands, in the names of the one above.
    package struct Step: Equatable, Sendable {
        package let site: String
        package let mount: NodePath

        package init(site: String, mount: NodePath) {
            self.site = site
            self.mount = mount
        }
    }

    /// The name of this site; `nil` if this bus is none.
    package let site: String?
    package private(set) var steps: [Step]

    package init(of site: String?, _ steps: [Step] = []) {
        self.site = site
        self.steps = steps
    }

    package mutating func append(_ step: Step) {
        steps.append(step)
    }

    /// Returns the name here of the root of a site above.
    package static func place(of site: String) throws(NameError) -> NodePath {
        try NodePath("/\(site):")
    }

    /// Returns the name here of a node of the site at `place`, which names it `path` itself.
    package func path(_ path: NodePath, ofSiteAt place: NodePath) -> NodePath {
        guard !path.isForeign else {
            return path.foreignSite == site ? path.dropping(1) : path
        }
        return name(place.components + path.components)
    }

    private func name(_ components: [Substring]) -> NodePath {
        guard let first = components.first, first.last == ":",
            var level = steps.firstIndex(where: { $0.site == first.dropLast() })
        else {
            return NodePath(joining: components.map(String.init))
        }
        var below = components.dropFirst()
        while below.starts(with: steps[level].mount.components) {
            below = below.dropFirst(steps[level].mount.depth)
            guard level > 0 else {
                return NodePath(joining: below.map(String.init))
            }
            level -= 1
        }
        return NodePath(joining: ["\(steps[level].site):"] + below.map(String.init))
    }
}

extension NodePath {
    /// The site that a foreign place names; `nil` for other paths.
    package var foreignSite: String? {
        isForeign ? components.first.map { String($0.dropLast()) } : nil
    }

    /// Returns the path without its first components.
    package func dropping(_ count: Int) -> NodePath {
        NodePath(joining: components.dropFirst(count).map(String.init))
    }

    /// Returns the path of this node's descendant, in the names of a bus that stands here.
    package func relative(_ descendant: NodePath) -> NodePath {
        descendant.dropping(depth)
    }
}
