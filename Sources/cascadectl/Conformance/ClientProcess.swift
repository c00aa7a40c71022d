// SPDX-License-Identifier: Apache-2.0

import Cascade
import Glibc

/// The process of the client under test, whose standard input and output are pipes of lines.
///
/// It leads a process group of its own, which ends with it.
final class ClientProcess {
    private let processID: pid_t
    private let input: Int32
    /// The end of the pipe from which the client's lines are read.
    let output: Int32
    private let commandGuard: CommandGuard
    private var splitter = LineSplitter()
    /// Whether the client has closed its output.
    private(set) var isAtEnd = false
    private var exitStatus: Int32?

    /// Starts the client.
    ///
    /// - Parameters:
    ///   - environment: Variables beside those of this process.
    ///   - commandGuard: Ends the client if this process exits before it.
    init(
        _ program: ProgramFile, environment: [String: String], commandGuard: CommandGuard
    ) throws {
        do throws(ErrorNumber) {
            let toClient = try Pipe()
            let fromClient: Pipe
            do throws(ErrorNumber) {
                fromClient = try Pipe()
            } catch {
                toClient.close()
                throw error
            }
            let start = ProgramStart(
                path: program.path, words: program.arguments, variables: environment,
                input: .descriptor(toClient.readEnd), output: .descriptor(fromClient.writeEnd))
            do throws(ErrorNumber) {
                processID = try start.run()
            } catch {
                toClient.close()
                fromClient.close()
                throw error
            }
            close(toClient.readEnd)
            close(fromClient.writeEnd)
            input = toClient.writeEnd
            output = fromClient.readEnd
        } catch {
            throw Stop(.failure, "cannot start the client: \(error)")
        }
        self.commandGuard = commandGuard
        commandGuard.begin(processID)
    }

    /// Writes a line to the client's standard input. A client that has exited reads nothing.
    func write(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        _ = Glibc.write(input, bytes, bytes.count)
    }

    /// Reads what the client has printed, and returns the complete lines. Blocks unless ``output``
    /// is readable.
    func readLines() -> [String] {
        var chunk = [UInt8](repeating: 0, count: 65_536)
        let count = read(output, &chunk, chunk.count)
        guard count > 0 else {
            isAtEnd = count == 0 || errno != EINTR
            return splitter.rest().map { [$0] } ?? []
        }
        splitter.append(chunk[..<count])
        var lines: [String] = []
        while let line = splitter.next() {
            lines.append(line)
        }
        return lines
    }

    /// Returns the exit status, 128 and its number for a signal; `nil` if the client still runs.
    func exited() -> Int32? {
        var status: Int32 = 0
        if exitStatus == nil, waitpid(processID, &status, WNOHANG) == processID {
            let signal = status & 0x7F
            exitStatus = signal == 0 ? status >> 8 & 0xFF : 128 + signal
        }
        return exitStatus
    }

    /// Ends the client and the processes of its group, and waits for the client.
    func end() {
        kill(-processID, SIGKILL)
        if exitStatus == nil {
            var status: Int32 = 0
            while waitpid(processID, &status, 0) < 0, errno == EINTR {}
        }
        commandGuard.end(processID)
        close(input)
        close(output)
    }
}
