// SPDX-License-Identifier: Apache-2.0

import Glibc
import ZeroMQ

/// The programs of a demo. Their output is in one file, which is shown if one of them fails.
struct DemoPrograms {
    /// The time within which a program must be ready.
    private static let startDuration = Duration.seconds(15)
    /// The time between SIGTERM and SIGKILL.
    private static let endDuration = Duration.seconds(5)
    private static let pauseMicroseconds: useconds_t = 20_000

    private let log: String
    private var programs: [StartedProgram] = []

    init(log: String) {
        self.log = log
    }

    mutating func start(_ program: String, _ arguments: [String]) throws(Stop) {
        let descriptor = open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw Stop.file(log, "create", errno)
        }
        defer { close(descriptor) }
        do throws(ProgramError) {
            programs.append(try StartedProgram([program] + arguments, output: descriptor))
        } catch {
            throw Stop(.unavailable, "\(error)")
        }
    }

    // MARK: - Waiting

    /// Waits until a bus serves its socket.
    func wait(forSocket path: String) throws(Stop) {
        try wait("the bus at '\(path)' does not start") { access(path, F_OK) == 0 }
    }

    /// Waits until the log contains these words of a site.
    func wait(forWords words: String) throws(Stop) {
        try wait("the link between the sites does not come up") {
            let text = (try? SetupFolder.text(of: log)) ?? nil
            return text?.contains(words) == true
        }
    }

    /// Waits until the user interrupts the demo. Throws ``Stop`` if a program ends by itself.
    func waitForEnd() throws(Stop) {
        while !StopSignals.isStopping {
            try checkPrograms()
            pause()
        }
    }

    private func wait(_ failure: String, _ isDone: () -> Bool) throws(Stop) {
        let end = MonotonicClock.time + Self.startDuration
        while !isDone() {
            guard !StopSignals.isStopping else {
                throw Stop(.failure, "interrupted")
            }
            try checkPrograms()
            guard MonotonicClock.time < end else {
                throw Stop(.failure, "\(failure) within \(Self.startDuration):\n\(lastLines)")
            }
            usleep(Self.pauseMicroseconds)
        }
    }

    private func checkPrograms() throws(Stop) {
        for program in programs {
            if let status = program.poll() {
                let name = program.name.split(separator: "/").last.map(String.init) ?? ""
                throw Stop(.failure, "\(name) has ended with status \(status):\n\(lastLines)")
            }
        }
    }

    private func pause() {
        usleep(Self.pauseMicroseconds * 10)
    }

    private var lastLines: String {
        let text = (try? SetupFolder.text(of: log)) ?? nil
        return (text ?? "").split(separator: "\n").suffix(10).joined(separator: "\n")
    }

    // MARK: - The end

    /// Ends all programs, the last one first, and waits for their ends.
    mutating func stop() {
        for program in programs.reversed() where program.isRunning {
            program.signal(SIGTERM)
        }
        let end = MonotonicClock.time + Self.endDuration
        while programs.contains(where: { $0.isRunning }), MonotonicClock.time < end {
            usleep(Self.pauseMicroseconds)
        }
        for program in programs where program.isRunning {
            program.signal(SIGKILL)
            _ = program.wait()
        }
        programs = []
    }
}

/// The signals that end a demo.
enum StopSignals {
    private nonisolated(unsafe) static var flag: sig_atomic_t = 0

    static var isStopping: Bool {
        flag != 0
    }

    static func catchAll() {
        for number in [SIGINT, SIGTERM, SIGHUP] {
            signal(number) { _ in StopSignals.flag = 1 }
        }
    }
}
