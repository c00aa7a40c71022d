// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Cascade
import CascadeJSON
import CascadeSession

/// Raises an undelivered event again.
struct UndeliveredRetry: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "retry",
        abstract: "Raise an undelivered message again, unchanged, and print its outcome.",
        discussion: """
            A held message continues by itself when a responder for it attaches, and its origin \
            learns the outcome. It is therefore not raised again, and the exit code is 3.
            """)

    @OptionGroup var bus: BusOptions
    @OptionGroup var output: OutputOptions

    @Argument(help: "ID of the message.", completion: .undelivered, transform: EventID.argument)
    var id: EventID

    @Option(
        help: ArgumentHelp(
            "Time that each responder has; otherwise the bus's default.", valueName: "time"))
    var deadline: TimeSpan?

    func run() async throws {
        let entry = try await entry()
        var options = RaiseOptions(
            .upward(entry.lane), from: .outsider(entry.origin),
            deadlineMilliseconds: deadline?.milliseconds ?? 0, flags: .wantsTrail)
        options.retried = id
        try await Raise(
            bus: bus, output: output, raising: Raising(name: entry.name, payload: []),
            options: options
        ).run()
    }

    /// Returns the bus's entry for the event. The payload stays on the bus.
    private func entry() async throws -> (name: EventName, lane: Lane, origin: NodePath) {
        let message = try await bus.withBus { try await $0.link.query(.undelivered) }
        let all = UndeliveredDocument(json: try JSONValue(answer: message))
        let entry = try all.only(id).entries.first
        guard entry?["reason"]?.string != "held" else {
            let time = entry?["heldUntil"]?.string.map { " until \($0)" } ?? ""
            throw Stop(
                .negative,
                "the event \(id) is held\(time): it continues by itself when a responder for "
                    + "it attaches")
        }
        guard let name = entry?["name"]?.string, let origin = entry?["origin"]?.string else {
            throw Stop(.protocolError, "the bus's answer has no name for the event \(id)")
        }
        let lane = Lane.allCases.first { $0.name == entry?["lane"]?.string } ?? .event
        return (try EventName(name), lane, try NodePath(origin))
    }
}
