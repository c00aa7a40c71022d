// SPDX-License-Identifier: Apache-2.0

import CNATS
import Glibc

/// A benchmark of a NATS server alone: the round trip of a request between two processes, with the library
/// that sites use. The figures of sites are ratios to it.
///
/// `site-benchmark URL COUNT` prints the median and the 99th percentile in nanoseconds.
@main
struct RequestBenchmark {
    private static let subject = "benchmark"
    private static let echoArgument = "echo"
    private static let warmUpCount = 1_000
    private static let payload = [UInt8](repeating: 0, count: 128)

    static func main() {
        let arguments = CommandLine.arguments
        guard arguments.count == 3, let count = Int(arguments[2]), count > 0 else {
            if arguments.count == 3, arguments[2] == echoArgument {
                echo(connect(to: arguments[1]))
            }
            fail("usage: site-benchmark URL COUNT")
        }
        let responder = startResponder(arguments)
        let samples = measure(connect(to: arguments[1]), count).sorted()
        kill(responder, SIGTERM)
        print("\(samples[samples.count / 2]) \(samples[samples.count * 99 / 100])")
    }

    // MARK: - The responder

    private static func startResponder(_ arguments: [String]) -> pid_t {
        var process = pid_t()
        var words = [strdup(arguments[0]), strdup(arguments[1]), strdup(echoArgument), nil]
        guard posix_spawn(&process, "/proc/self/exe", nil, nil, &words, environ) == 0 else {
            fail("cannot start the responder")
        }
        return process
    }

    /// Answers each request with its payload, until a signal ends the process.
    private static func echo(_ connection: OpaquePointer) -> Never {
        var subscription: OpaquePointer?
        check(
            natsConnection_Subscribe(
                &subscription, connection, subject,
                { connection, _, message, _ in
                    natsConnection_Publish(
                        connection, natsMsg_GetReply(message), natsMsg_GetData(message),
                        natsMsg_GetDataLength(message))
                    natsMsg_Destroy(message)
                }, nil))
        while true {
            pause()
        }
    }

    // MARK: - The requester

    /// Returns the times of `count` consecutive requests after the warm-up, in nanoseconds.
    private static func measure(_ connection: OpaquePointer, _ count: Int) -> [UInt64] {
        var samples: [UInt64] = []
        samples.reserveCapacity(count)
        var answerCount = 0
        while answerCount < warmUpCount + count {
            let start = now()
            // The responder may not have subscribed at first.
            guard request(connection) else {
                continue
            }
            answerCount += 1
            if answerCount > warmUpCount {
                samples.append(now() - start)
            }
        }
        return samples
    }

    private static func request(_ connection: OpaquePointer) -> Bool {
        var reply: OpaquePointer?
        let status = natsConnection_Request(
            &reply, connection, subject, payload, Int32(payload.count), 2_000)
        guard status != NATS_NO_RESPONDERS else {
            return false
        }
        check(status)
        natsMsg_Destroy(reply)
        return true
    }

    private static func now() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }

    // MARK: - The connection

    private static func connect(to url: String) -> OpaquePointer {
        var options: OpaquePointer?
        check(natsOptions_Create(&options))
        check(natsOptions_SetURL(options, url))
        // As a link, which sends at once.
        check(natsOptions_SetSendAsap(options, true))
        var connection: OpaquePointer?
        check(natsConnection_Connect(&connection, options))
        guard let connection else {
            fail("no connection to \(url)")
        }
        return connection
    }

    private static func check(_ status: natsStatus) {
        if status != NATS_OK {
            fail(String(cString: natsStatus_GetText(status)))
        }
    }

    private static func fail(_ reason: String) -> Never {
        let line = Array("site-benchmark: \(reason)\n".utf8)
        _ = write(STDERR_FILENO, line, line.count)
        exit(1)
    }
}
