// SPDX-License-Identifier: Apache-2.0

package import CascadeWire

/// The translation of paths between a site and its parent.
///
/// Each bus names its own nodes by paths from its own root. A node of a site that is not below a bus is
/// a *foreign place* there: `/SITE:/PATH`. A foreign place keeps its name on its way through sites, until
/// it reaches the site that it names, or passes a mount above it.
///
/// It is an object, because each message takes one several times.
package final class PathTranslator: Sendable {
    /// The place of the parent's bus at which the site stands. It is the site's `/`.
    package let mount: NodePath
    package let parent: SiteName
    /// The root of the parent's bus, as a foreign place.
    private let parentRoot: NodePath

    package init(mount: NodePath, parent: SiteName) {
        self.mount = mount
        self.parent = parent
        parentRoot = NodePath(joining: ["\(parent):"])
    }

    /// Returns the name at the parent of a place that the site names `path`.
    ///
    /// Throws `NameError` if the longer path exceeds the limit of a path.
    package func upward(_ path: NodePath) throws(NameError) -> NodePath {
        guard path.isForeign else {
            return try mount.appending(path)
        }
        guard let rest = try path.rest(below: parentRoot) else {
            return path
        }
        return rest
    }

    /// Returns the name at the site of a place that the parent names `path`.
    ///
    /// Throws `NameError` if the longer path exceeds the limit of a path.
    package func downward(_ path: NodePath) throws(NameError) -> NodePath {
        guard !path.isForeign else {
            return path
        }
        guard let rest = try path.rest(below: mount) else {
            return try parentRoot.appending(path)
        }
        return rest
    }
}

extension NodePath {
    /// Returns this path as a place below `ancestor` names it; `nil` if it is neither that place nor below it.
    /// Each message has several paths, so none is split into its components.
    fileprivate func rest(below ancestor: NodePath) throws(NameError) -> NodePath? {
        guard !ancestor.isRoot else {
            return self
        }
        guard description.hasPrefix(ancestor.description) else {
            return nil
        }
        let rest = description.utf8.dropFirst(ancestor.byteCount)
        guard let next = rest.first else {
            return .root
        }
        return next == UInt8(ascii: "/") ? try NodePath(Substring(rest)) : nil
    }
}
