// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeJSON
import Glibc

/// A fresh link of a console that runs, which it hands out over its Unix socket.
package enum ConsoleLink {
    /// The reasons for which there is no link.
    package enum Fault: Error, CustomStringConvertible {
        /// No process serves the socket.
        case noConsole(path: String, reason: String)
        /// The console refuses, with this sentence.
        case refused(String)

        package var description: String {
            switch self {
            case .noConsole(let path, let reason):
                "no console serves '\(path)': \(reason); start one with --listen unix:\(path)"
            case .refused(let sentence): sentence
            }
        }
    }

    /// The socket of the user's own console: `cascade/console.sock` in the directory of the user's runtime
    /// files; `nil` without one.
    package static var standardSocket: String? {
        getenv("XDG_RUNTIME_DIR").map { "\(String(cString: $0))/cascade/console.sock" }
    }

    /// The time for which to wait for the answer, in seconds.
    private static let patience = 10
    private static let answerByteCountMax = 65_536

    /// Asks the console at a socket for a link. Throws ``Fault``.
    package static func fresh(from path: String) throws -> String {
        let socket: Int32
        do throws(ErrorNumber) {
            socket = try UnixSocket.connect(path)
        } catch {
            throw Fault.noConsole(path: path, reason: "\(error)")
        }
        defer { close(socket) }
        var limit = timeval(tv_sec: patience, tv_usec: 0)
        setsockopt(
            socket, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        let request = Array(
            """
            POST /v1/link HTTP/1.1\r
            Host: localhost\r
            Content-Type: application/json\r
            Content-Length: 2\r
            Connection: close\r
            \r
            {}
            """.utf8)
        guard send(socket, request, request.count, Int32(MSG_NOSIGNAL)) == request.count
        else {
            throw Fault.noConsole(path: path, reason: "\(ErrorNumber(errno))")
        }
        return try link(in: answer(of: socket), path)
    }

    private static func answer(of socket: Int32) -> [UInt8] {
        var answer: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 4_096)
        while answer.count < answerByteCountMax {
            let count = recv(socket, &part, part.count, 0)
            guard count > 0 else {
                break
            }
            answer += part[..<count]
        }
        return answer
    }

    private static func link(in answer: [UInt8], _ path: String) throws -> String {
        let end: [UInt8] = [13, 10, 13, 10]
        guard let head = answer.indices.first(where: { answer[$0...].starts(with: end) }),
            let json = try? JSONValue(parsing: Array(answer[(head + end.count)...]))
        else {
            throw Fault.noConsole(path: path, reason: "it does not answer")
        }
        guard let link = json["link"]?.string else {
            throw Fault.refused(json["error"]?["message"]?.string ?? "the console gives no link")
        }
        return link
    }
}
