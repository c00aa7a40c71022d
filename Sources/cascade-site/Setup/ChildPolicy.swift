// SPDX-License-Identifier: Apache-2.0

import CascadeSite
import CascadeWire

/// What a site's bus allows the keys of its children, `policy.d/site-children.policy`.
struct ChildPolicy {
    /// The mount of each child.
    var children: [SiteName: NodePath]

    /// The text of the file; `nil` without children, because a policy file without a rule is an error.
    var text: String? {
        guard !children.isEmpty else {
            return nil
        }
        let lines = children.sorted { $0.key.description < $1.key.description }.map {
            child, mount in
            Self.line(child, mount) + "\n"
        }
        return """
            # What the sites below this one may do. 'cascade-site add' and 'cascade-site remove' replace this
            # file. 'inspect' is what lets a child read the environment at its mount.

            """ + lines.joined()
    }

    static func line(_ child: SiteName, _ mount: NodePath) -> String {
        "allow attach, subscribe, trigger, inspect, uplink \(mount) to key \(child)"
    }
}
