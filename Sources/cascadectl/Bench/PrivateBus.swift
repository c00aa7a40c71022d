// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A daemon of the bench's own, on an endpoint of its own, for as long as the bench runs.
final class PrivateBus {
    let endpoint: String
    private let directory: String
    private let daemon: BenchProcess

    /// Starts the daemon that lies beside this program.
    init(program: String, spinMicroseconds: Int) throws {
        var template = Array("/tmp/cascade-bench-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else {
            throw BenchError("cannot make a directory: \(String(cString: strerror(errno)))")
        }
        directory = template.withUnsafeBufferPointer { buffer in
            buffer.baseAddress.map { String(cString: $0) } ?? ""
        }
        endpoint = "ipc://\(directory)/bus.sock"
        let daemonPath =
            program.split(separator: "/", omittingEmptySubsequences: false)
            .dropLast().joined(separator: "/") + "/cascaded"
        daemon = try BenchProcess(
            [
                daemonPath, "--listen", endpoint, "--spin", "\(spinMicroseconds)", "--log-level",
                "info",
            ], readsErrors: true)
        while try !daemon.line(withinMilliseconds: 10_000).contains("serving") {}
    }

    func stop() {
        daemon.stop(SIGTERM)
        unlink("\(directory)/bus.sock.lock")
        rmdir(directory)
    }
}
