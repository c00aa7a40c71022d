// SPDX-License-Identifier: Apache-2.0

import CascadePolicy
import Glibc

extension DefaultPolicy {
    /// What counts on a bus that this process serves at these endpoints, once they are there: the
    /// socket's group is that of the first.
    init(servedAt endpoints: [String]) {
        let scheme = "ipc://"
        var status = stat()
        let path = endpoints.first { $0.hasPrefix(scheme) }?.dropFirst(scheme.count)
        let isThere = path.map { stat(String($0), &status) == 0 } ?? false
        self.init(userID: geteuid(), groupID: isThere ? status.st_gid : nil)
    }
}
