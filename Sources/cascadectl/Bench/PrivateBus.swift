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

    /// The most memory that the daemon has had resident so far, in kB.
    var peakKilobytes: Int? {
        guard let file = fopen("/proc/\(daemon.processID)/status", "re") else {
            return nil
        }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 256)
        while fgets(&line, Int32(line.count), file) != nil {
            let text = String(
                decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            if text.hasPrefix("VmHWM:") {
                return text.split(whereSeparator: \.isWhitespace).dropFirst().first
                    .flatMap { Int($0) }
            }
        }
        return nil
    }

    func stop() {
        daemon.stop(SIGTERM)
        unlink("\(directory)/bus.sock.lock")
        rmdir(directory)
    }
}
