// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The folder in which control groups with names like systemd's can be made.
enum UnitFolder {
    /// `nil` if there is none.
    static let path: String? = {
        let name = "cascade-test-\(getpid()).slice"
        return ["/sys/fs/cgroup/unified", "/sys/fs/cgroup"].first { root in
            guard access(root + "/cgroup.procs", W_OK) == 0,
                mkdir("\(root)/\(name)", 0o755) == 0
            else {
                return false
            }
            rmdir("\(root)/\(name)")
            return true
        }.map { "\($0)/\(name)" }
    }()
}
