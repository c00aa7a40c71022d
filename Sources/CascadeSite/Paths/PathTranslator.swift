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

    private let mountComponents: [Substring]
    private let parentComponent: String

    package init(mount: NodePath, parent: SiteName) {
        self.mount = mount
        self.parent = parent
        mountComponents = mount.components
        parentComponent = "\(parent):"
    }

    /// Returns the name at the parent of a place that the site names `path`.
    ///
    /// Throws `NameError` if the longer path exceeds the limit of a path.
    package func upward(_ path: NodePath) throws(NameError) -> NodePath {
        guard path.isForeign else {
            return try Self.path(mountComponents + path.components)
        }
        guard path.components[0] == parentComponent else {
            return path
        }
        return try Self.path(path.components.dropFirst())
    }

    /// Returns the name at the site of a place that the parent names `path`.
    ///
    /// Throws `NameError` if the longer path exceeds the limit of a path.
    package func downward(_ path: NodePath) throws(NameError) -> NodePath {
        guard !path.isForeign else {
            return path
        }
        let components = path.components
        guard mount.contains(path) else {
            return try Self.path([Substring(parentComponent)] + components)
        }
        return try Self.path(components.dropFirst(mountComponents.count))
    }

    private static func path(_ components: some Sequence<Substring>) throws(NameError) -> NodePath {
        let text = components.reduce(into: "") { $0 += "/\($1)" }
        return try NodePath(text.isEmpty ? "/" : text)
    }
}
