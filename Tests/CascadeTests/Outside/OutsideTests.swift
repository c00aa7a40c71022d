// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeTestKit
import CascadeTestSupport
import FoundationEssentials
import Glibc
import Testing

/// Events that originate outside the tree.
@Suite(.timeLimit(.minutes(1))) struct OutsideTests {
    @Environment(\.triggerEvent) private var triggerEvent

    @Test func `a timer triggers at each interval of its clock`() async throws {
        let (journal, clock) = (Journal(), VirtualClock())
        let bus = LoopbackBus(clock: clock, mount: .root) {
            Node("shop") {
                Node("clock").every(.seconds(5), clock: clock) {
                    try await triggerEvent(ItemSelected())
                }
            }
            .handle(ItemSelected.self) { _ in await journal.note("tick") }
        }
        try await bus.run { bus in
            await bus.advance(by: .seconds(16))
            let entries = try await journal.entries(3)
            #expect(entries.count == 3)
        }
    }

    @Test func `each line calls the closure, even an unterminated last one, and the node stays`()
        async throws
    {
        let journal = Journal()
        let pipe = try Pipe()
        let bus = LoopbackBus(mount: .root) {
            Node("reader").onLine(of: pipe.reader) { await journal.note($0) }
        }
        try await bus.run { bus in
            pipe.write("one\ntw")
            let first = try await journal.entries(1)
            #expect(first == ["one"])
            pipe.write("o\n\nthree")
            pipe.closeWriter()
            #expect(try await journal.entries(4) == ["one", "two", "", "three"])
            #expect(try await bus.nodes == ["/reader"])
        }
    }

    @Test func `a node that waits for a line can leave`() async throws {
        let pipe = try Pipe()
        let bus = LoopbackBus(mount: .root) {
            Node("reader").onLine(of: pipe.reader) { _ in }
        }
        try await bus.run { bus in
            try await bus.process(at: "/reader").leave()
            #expect(try await bus.nodes.isEmpty)
        }
    }

    @Test func `a signal calls the closure`() async throws {
        let journal = Journal()
        let bus = LoopbackBus(mount: .root) {
            Node("reader").onSignal(SIGWINCH) { await journal.note("resized") }
        }
        try await bus.run { bus in
            // The first signals may arrive before the node listens; by default they are ignored.
            while await journal.entries.isEmpty {
                kill(getpid(), SIGWINCH)
                await Task.yield()
            }
            #expect(await Set(journal.entries) == ["resized"])
        }
    }

    @Test func `a written file calls the closure, and its neighbours do not`() async throws {
        let (journal, arrivals) = (Journal(), Journal())
        let directory = try TemporaryDirectory()
        let file = "\(directory.path)/shop.conf"
        let bus = LoopbackBus(mount: .root) {
            Node("settings").onChange(ofFile: file) {
                let bytes = try Data(contentsOf: URL(filePath: file))
                await journal.note(String(decoding: bytes, as: UTF8.self))
            }
            .onArrival(in: directory.path) { await arrivals.note($0) }
        }
        try await bus.run { _ in
            // The first files may be written before the node watches.
            var writeCount = 0
            while await journal.entries.isEmpty {
                try directory.write("shop.conf", "0".utf8)
                writeCount += 1
                await Task.yield()
            }
            for number in 1...writeCount + 10 {
                try directory.write("other.conf", [])
                try directory.write("shop.conf", "\(number)".utf8)
                try await journal.waits(for: "\(number)")
            }
            // Each write of the file calls the closure at most once.
            #expect(await journal.entries.count <= 2 * writeCount + 10)
            try await arrivals.waits(for: "other.conf")
        }
    }

    @Test func `the exit of a child calls the closure with its status`() async throws {
        let journal = Journal()
        let (calm, killed) = (try spawn("exit 3"), try spawn("kill -KILL $$"))
        let bus = LoopbackBus(mount: .root) {
            Node("parent")
                .onExit(of: calm) { await journal.note("\($0)") }
                .onExit(of: killed) { await journal.note("\($0)") }
        }
        try await bus.run { _ in
            let entries = try await journal.entries(2)
            #expect(
                Set(entries) == ["\(ChildExit.exited(3))", "\(ChildExit.signalled(SIGKILL))"])
        }
    }

    @Test func `an error thrown by the closure ends the worker`() async throws {
        let pipe = try Pipe()
        try await LoopbackBus {}.run { bus in
            let process = try await bus.attach {
                Node("reader").onLine(of: pipe.reader) { _ in throw SoldOut() }
            }
            pipe.write("line\n")
            await #expect(throws: SoldOut.self) { try await process.waitUntilEnded() }
        }
    }

    /// Starts a shell that runs a command.
    private func spawn(_ command: String) throws -> pid_t {
        let words: [String] = ["sh", "-c", command]
        var child = pid_t()
        var arguments: [UnsafeMutablePointer<CChar>?] =
            words.map { strdup($0) } + [nil]
        defer {
            for argument in arguments {
                free(argument)
            }
        }
        try #require(posix_spawn(&child, "/bin/sh", nil, nil, &arguments, environ) == 0)
        return child
    }
}
