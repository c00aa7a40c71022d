// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Cascade

/// Replays a capture.
struct Replay: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Raise and publish the messages of a capture again.",
        discussion: """
            Messages are raised from their original paths, in the original order and timing, and \
            each outcome is printed. Messages caused by others are left out, because they occur \
            again. Exits with 1 if a message could not be raised.
            """)

    @OptionGroup var bus: BusOptions
    @OptionGroup var output: OutputOptions

    @Argument(help: "File of 'capture'.", completion: .file())
    var file: String

    @Option(
        help: "Path below which the messages are raised.", completion: .nodes,
        transform: NodePath.argument
    )
    var into: NodePath = .root

    @Option(help: "Speed relative to the capture; 0 for the maximum.")
    var speed = 1.0

    func validate() throws {
        guard speed >= 0, speed.isFinite else {
            throw ValidationError("--speed must be 0 or more")
        }
    }

    func run() async throws {
        let captured = try captured()
        let failedCount = try await bus.withBus { bus in
            try await ReplayRun(bus: bus, output: output, speed: speed).raise(captured)
        }
        if failedCount > 0 {
            throw Stop(.failure, "\(failedCount) of \(captured.count) messages could not be raised")
        }
    }

    private func captured() throws -> [CapturedRaising] {
        var leftOutCount = 0
        let captured = try CaptureFile.happenings(file).compactMap { happening in
            do throws(CapturedRaising.Omission) {
                return try CapturedRaising(happening, into: into)
            } catch {
                switch error {
                case .nothingRaised, .consequence, .busOwn: break
                case .payloadLeftOut, .unreadable: leftOutCount += 1
                }
                return nil
            }
        }
        if leftOutCount > 0 {
            Output.diagnostic(
                "left out \(leftOutCount) messages whose payloads were too long to be recorded")
        }
        return captured
    }
}
