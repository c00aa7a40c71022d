// SPDX-License-Identifier: Apache-2.0

import Cascade
import Glibc

/// A process of a benchmark, whose output is read line by line.
final class BenchProcess {
    let processID: pid_t
    private let output: Int32
    private let interruption: SignalPipe
    private var lines = LineSplitter()
    /// Whether the process has reported that it is ready.
    private(set) var isReady = false

    /// Starts a process in a group of its own, so that a terminal's signals do not reach it.
    ///
    /// - Parameters:
    ///   - arguments: The program and its arguments.
    ///   - interruption: The signals that interrupt the wait for a line.
    ///   - readsErrors: Whether to read standard error instead of standard output.
    init(
        _ arguments: [String], _ interruption: SignalPipe, readsErrors: Bool = false
    ) throws {
        self.interruption = interruption
        let pipe: Pipe
        do throws(ErrorNumber) {
            pipe = try Pipe()
        } catch {
            throw BenchError("cannot make a pipe: \(error)")
        }
        var start = ProgramStart(path: arguments[0], words: arguments)
        if readsErrors {
            start.errors = .descriptor(pipe.writeEnd)
        } else {
            start.output = .descriptor(pipe.writeEnd)
        }
        do throws(ErrorNumber) {
            processID = try start.run()
        } catch {
            pipe.close()
            throw BenchError("cannot start \(arguments[0]): \(error)")
        }
        close(pipe.writeEnd)
        output = pipe.readEnd
    }

    /// Waits until the process reports that it is ready.
    func waitUntilReady(withinMilliseconds limit: Int32) throws {
        _ = try line(withinMilliseconds: limit)
        isReady = true
    }

    /// Returns the next line of output. Throws ``BenchError`` at the end of the output or after the
    /// time limit, and ``BenchInterrupted`` after a signal.
    func line(withinMilliseconds limit: Int32) throws -> String {
        while true {
            if let line = lines.next() {
                return line
            }
            var items = [output, interruption.readEnd].map {
                pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
            }
            let count = poll(&items, nfds_t(items.count), limit)
            guard items[1].revents == 0 else {
                throw BenchInterrupted()
            }
            guard count != -1 || errno != EINTR else {
                continue
            }
            guard count > 0 else {
                throw BenchError("a process of the benchmark made no progress for \(limit) ms")
            }
            var buffer = [UInt8](repeating: 0, count: 4096)
            let byteCount = read(output, &buffer, buffer.count)
            guard byteCount > 0 else {
                throw BenchError("a process of the benchmark ended early")
            }
            lines.append(buffer.prefix(byteCount))
        }
    }

    /// Sends a signal and waits for the end of the process.
    func stop(_ signal: Int32) {
        kill(processID, signal)
        var status: Int32 = 0
        waitpid(processID, &status, 0)
        close(output)
    }
}

// MARK: - Errors

/// The reason why a benchmark has no result.
struct BenchError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}

/// A signal has interrupted the benchmark.
struct BenchInterrupted: Error {}

// MARK: - The daemon

/// A daemon for the benchmark alone, in a temporary directory.
final class PrivateBus {
    let endpoint: String
    private let directory: String
    private let daemon: BenchProcess

    /// Starts the `cascaded` beside `program`, and waits until it serves.
    init(
        program: String, spinMicroseconds: Int, keepsDurable: Bool,
        _ interruption: SignalPipe
    ) throws {
        // A long TMPDIR leaves no room for the path of a socket.
        directory = try TemporaryDirectory.make("cascade-bench", in: "/tmp")
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

    /// Ends the daemon and removes its directory.
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
