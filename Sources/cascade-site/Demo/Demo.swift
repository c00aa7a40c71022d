// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Synchronization
import UnixSignals

/// Runs two sites on this machine until it is interrupted.
struct Demo: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Run two sites on this machine, to look at them, until interrupted.",
        discussion: """
            Starts a NATS server, two buses and their sites in a folder of their own, prints their endpoints and \
            what to type next, and removes everything at the end.

            Example: cascade-site demo
            """)

    /// The time in which the link must come up.
    private static let startDuration = Duration.seconds(15)

    func run() async throws {
        guard ProgramPath.find(ProgramPath.server) != nil else {
            throw Stop.missingServer
        }
        guard ProgramPath.find("cascaded") != nil else {
            throw Stop(
                .unavailable,
                "cannot find the program cascaded, which serves a bus; install it: apt-get install cascade"
            )
        }
        let temporary = try TemporaryFolder(prefix: "cascade-demo-")
        let folder = DemoFolder(path: temporary.path, port: try DemoFolder.freePort())
        do {
            try await Self.run(folder)
        } catch is CancellationError {
            // A signal has ended the demo.
        }
    }

    /// Runs the programs until a signal comes or one of them ends; then ends all.
    private static func run(_ folder: DemoFolder) async throws {
        let isLinked = Milestone()
        try await withThrowingTaskGroup { group in
            group.addTask {
                let signals = await UnixSignalsSequence(trapping: .sigint, .sigterm, .sighup)
                for await _ in signals {
                    throw CancellationError()
                }
            }
            group.addTask { try await folder.server.run() }
            for site in folder.sites {
                let isServing = Milestone()
                group.addTask {
                    try await site.daemon.run { isServing.reach(by: "serving", in: $0) }
                }
                group.addTask {
                    await isServing.wait()
                    try await site.program.run {
                        isLinked.reach(by: "linked to '\(folder.hq.name)'", in: $0)
                    }
                }
            }
            group.addTask {
                await isLinked.wait()
                StandardOutput.write(advice(folder))
            }
            group.addTask {
                try await Task.sleep(for: startDuration)
                guard isLinked.isReached else {
                    throw Stop(
                        .failure,
                        "the link between the sites does not come up within \(startDuration)")
                }
            }
            try await group.waitForAll()
        }
    }

    static func advice(_ folder: DemoFolder) -> String {
        """
        Two sites run until you press Ctrl-C: 'hq', and 'ulm' below it at \(DemoFolder.mount).

          hq    \(folder.hq.endpoint)
          ulm   \(folder.ulm.endpoint)

        In a second terminal, a node above the border:

          export CASCADE_BUS=\(folder.hq.endpoint)
          cascadectl attach /shop --handle PaperJam

        In a third terminal, a node below it:

          export CASCADE_BUS=\(folder.ulm.endpoint)
          cascadectl attach /till --subscribe Menu

        In a fourth terminal, an event from below, a publication from above, and a value that is set above:

          export HQ=\(folder.hq.endpoint)
          export ULM=\(folder.ulm.endpoint)
          cascadectl --bus $HQ tree --sites
          cascadectl --bus $ULM trigger PaperJam --from /till
          cascadectl --bus $HQ publish Menu '"soup"' --at /shop
          cascadectl --bus $HQ env set mode='"busy"'
          cascadectl --bus $ULM env explain mode --at /till

        """
    }
}

/// A line of output that a part of the demo waits for.
private final class Milestone: Sendable {
    private let stream: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation
    private let hasCome = Atomic(false)

    init() {
        (stream, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    var isReached: Bool {
        hasCome.load(ordering: .relaxed)
    }

    func reach(by words: String, in line: String) {
        if line.contains(words) {
            hasCome.store(true, ordering: .relaxed)
            continuation.yield()
        }
    }

    /// Waits for the line, or until the task is cancelled.
    func wait() async {
        for await _ in stream {
            return
        }
    }
}
