// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A directory for one test's endpoints, removed with the test.
struct TemporaryDirectory: ~Copyable {
    let path: String

    init() {
        var template = Array("/tmp/cascade-zeromq-XXXXXX".utf8CString)
        let made = mkdtemp(&template)
        guard let made else { preconditionFailure("mkdtemp: \(errno)") }
        path = String(cString: made)
    }

    deinit {
        unlink(path + "/bus")
        rmdir(path)
    }

    var endpoint: String { "ipc://\(path)/bus" }
}
