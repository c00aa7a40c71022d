// SPDX-License-Identifier: Apache-2.0

import CascadeTestSupport

extension TemporaryDirectory {
    var endpoint: String { "ipc://\(path)/bus" }
}
