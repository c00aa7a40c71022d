// SPDX-License-Identifier: Apache-2.0

package import CascadeWire

/// The translation of paths between a site and its parent.
///
/// Each bus names its own nodes by paths from its own root. A node of a site that is not below a bus is
/// a *foreign place* there: `/SITE:/PATH`. A foreign place keeps its name on its way through sites, until
/// it reaches the site that it names, or passes a mount above it.
package struct PathTranslator: Equatable, Sendable {
    /// The place of the parent's bus at which the site stands. It is the site's `/`.
    package let mount: NodePath
    package let parent: SiteName

    /// The mount before a further path: empty for the root.
    private let prefix: String
    /// The root of the parent's bus, as a foreign place.
    private let parentPrefix: String

    package init(mount: NodePath, parent: SiteName) {
        self.mount = mount
        self.parent = parent
        prefix = mount.isRoot ? "" : mount.description
        parentPrefix = "/\(parent):"
    }

    /// Returns the name at the parent of a place that the site names `path`.
    ///
    /// Throws `NameError` if the longer path exceeds the limit of a path.
    package func upward(_ path: NodePath) throws(NameError) -> NodePath {
        guard path.isForeign else {
            return path.isRoot ? mount : try NodePath(prefix + path.description)
        }
        guard let rest = path.rest(below: parentPrefix) else {
            return path
        }
        return rest.isEmpty ? .root : try NodePath(rest)
    }

    /// Returns the name at the site of a place that the parent names `path`.
    ///
    /// Throws `NameError` if the longer path exceeds the limit of a path.
    package func downward(_ path: NodePath) throws(NameError) -> NodePath {
        guard !path.isForeign else {
            return path
        }
        guard let rest = path.rest(below: prefix) else {
            return try NodePath(path.isRoot ? parentPrefix : parentPrefix + path.description)
        }
        return rest.isEmpty ? .root : try NodePath(rest)
    }
}

extension NodePath {
    /// Returns what follows `prefix`, which names whole components; `nil` if this path is neither that place
    /// nor below it. Each message has several paths, so none is split into its components.
    fileprivate func rest(below prefix: String) -> Substring? {
        guard description.hasPrefix(prefix) else {
            return nil
        }
        let rest = description[
            description.utf8.index(description.startIndex, offsetBy: prefix.utf8.count)...]
        return rest.isEmpty || rest.utf8.first == UInt8(ascii: "/") ? rest : nil
    }
}
