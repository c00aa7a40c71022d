// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A daemon that runs for the benchmark only, on a temporary endpoint.
final class PrivateBus {
    let endpoint: String
    private let directory: String
    private let daemon: BenchProcess

    /// Starts the daemon in this program's directory.
    init(
        program: String, spinMicroseconds: Int, keepsDurable: Bool,
        _ interruption: SignalPipe
    ) throws {
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
        let arguments =
            [
                daemonPath, "--listen", endpoint, "--spin", "\(spinMicroseconds)", "--log-level",
                "info",
            ] + (keepsDurable ? ["--state-directory", "\(directory)/state"] : [])
        do {
            daemon = try BenchProcess(arguments, interruption, readsErrors: true)
        } catch {
            rmdir(directory)
            throw error
        }
        do {
            while try !daemon.line(withinMilliseconds: 10_000).contains("serving") {}
        } catch {
            stop()
            throw error
        }
    }

    func stop() {
        daemon.stop(SIGTERM)
        unlink("\(directory)/bus.sock.lock")
        let journal = "\(directory)/state/journal"
        if let folder = opendir(journal) {
            while let entry = readdir(folder) {
                unlinkat(dirfd(folder), Self.name(of: entry), 0)
            }
            closedir(folder)
        }
        rmdir(journal)
        rmdir("\(directory)/state")
        rmdir(directory)
    }

    private static func name(of entry: UnsafeMutablePointer<dirent>) -> String {
        withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
            String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
    }
}
