// SPDX-License-Identifier: Apache-2.0

import CascadeWire

extension NodePath {
    /// A path from components that are known to be valid.
    init(valid components: String...) {
        self = components.reduce(.root) { path, component in
            guard let longer = try? path.appending(component) else {
                preconditionFailure("'\(component)' is no path component")
            }
            return longer
        }
    }
}
