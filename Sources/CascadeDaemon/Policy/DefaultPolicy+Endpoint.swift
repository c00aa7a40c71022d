// SPDX-License-Identifier: Apache-2.0

import CascadePolicy
import Glibc

extension DefaultPolicy {
    /// The default policy of a bus that this process serves at these endpoints. The endpoints must
    /// be bound: the policy uses the group of the first socket file.
    init(servedAt endpoints: [String]) {
        let scheme = "ipc://"
        var status = stat()
        let path = endpoints.first { $0.hasPrefix(scheme) }?.dropFirst(scheme.count)
        let isThere = path.map { stat(String($0), &status) == 0 } ?? false
        self.init(userID: geteuid(), groupID: isThere ? status.st_gid : nil)
    }
}
