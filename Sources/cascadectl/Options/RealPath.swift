// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Tells whether two names are of one file.
enum RealPath {
    /// The file's only absolute name without links; `nil` if there is no such file.
    static func of(_ name: String) -> String? {
        guard let path = realpath(name, nil) else {
            return nil
        }
        defer { free(path) }
        return String(cString: path)
    }
}
