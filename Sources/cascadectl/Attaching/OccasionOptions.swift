// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Cascade
import CascadeJSON
import Glibc

/// The events that a node of `attach` triggers by itself.
struct OccasionOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            Interval, and name of the event to trigger after each; may be repeated. The first \
            event follows one interval after the attachment.
            """, valueName: "time=name"))
    var every: [String] = []

    @Option(
        name: .customLong("on-signal"),
        help: ArgumentHelp(
            "Signal, and name of the event to trigger for it, as in HUP=Reload; may be repeated.",
            valueName: "signal=name"))
    var signals: [String] = []

    @Option(
        name: .customLong("on-change"),
        help: ArgumentHelp(
            """
            File, and name of the event to trigger when it has been written and closed, or \
            replaced; may be repeated.
            """, valueName: "file=name"),
        completion: .file())
    var changes: [String] = []

    @Option(
        name: .customLong("on-line"),
        help: ArgumentHelp(
            """
            Name of the event to trigger for each line of standard input, which is its payload. \
            The node leaves at the end of the input.
            """, valueName: "name"),
        transform: EventName.argument)
    var line: EventName?

    /// Throws `ValidationError` for an invalid option.
    func check() throws {
        _ = try every.map { try Occasion(period: $0) }
        _ = try signals.map { try Occasion(signal: $0) }
        _ = try changes.map { try Occasion(file: $0) }
    }

    /// Returns the occasions. Throws ``Stop`` if the directory of a file cannot be watched.
    func list() throws -> [Occasion] {
        let occasions =
            try every.map { try Occasion(period: $0) } + signals.map { try Occasion(signal: $0) }
            + changes.map { try Occasion(file: $0) } + (line.map { [.line($0)] } ?? [])
        return try occasions.map { try $0.started() }
    }
}

// MARK: - Occasions

/// An occasion on which a node triggers an event.
enum Occasion: Sendable {
    case every(TimeSpan, EventName)
    case signal(Int32, EventName)
    case change(file: String, EventName)
    /// A file whose directory is watched.
    case arrival(of: String, in: DirectoryWatch, file: String, EventName)
    case line(EventName)

    private static let signalNumbers: [String: Int32] = [
        "HUP": SIGHUP, "USR1": SIGUSR1, "USR2": SIGUSR2, "QUIT": SIGQUIT, "ALRM": SIGALRM,
        "CONT": SIGCONT, "WINCH": SIGWINCH,
    ]

    // MARK: - Parsing

    init(period text: String) throws {
        let (value, name) = try Self.parts(text, "--every has the form TIME=NAME, as in 5s=Tick")
        let time = try TimeSpan.argument(value)
        guard time.milliseconds > 0 else {
            throw ValidationError("--every needs an interval greater than 0, not '\(value)'")
        }
        self = .every(time, name)
    }

    init(signal text: String) throws {
        let (value, name) = try Self.parts(
            text, "--on-signal has the form SIGNAL=NAME, as in HUP=Reload")
        let word = value.uppercased()
        let short = word.hasPrefix("SIG") ? String(word.dropFirst(3)) : word
        guard let number = Self.signalNumbers[short] else {
            let all = Self.signalNumbers.keys.sorted().joined(separator: ", ")
            throw ValidationError(
                "--on-signal cannot use the signal '\(value.escapedForDisplay())'; the signals are "
                    + all)
        }
        self = .signal(number, name)
    }

    init(file text: String) throws {
        let (value, name) = try Self.parts(
            text, "--on-change has the form FILE=NAME, as in /etc/hosts=HostsChanged")
        self = .change(file: value, name)
    }

    /// Splits an argument at its last equals sign.
    private static func parts(_ text: String, _ form: String) throws -> (String, EventName) {
        guard let equals = text.lastIndex(of: "="), equals != text.startIndex else {
            throw ValidationError("\(form), not '\(text.escapedForDisplay())'")
        }
        return (
            String(text[..<equals]),
            try EventName.argument(String(text[text.index(after: equals)...]))
        )
    }

    // MARK: - Watching

    /// Returns the occasion with its file's directory watched. Throws ``Stop`` if that fails.
    func started() throws -> Occasion {
        guard case .change(let file, let name) = self else {
            return self
        }
        let slash = file.lastIndex(of: "/")
        let directory = slash.map { $0 == file.startIndex ? "/" : String(file[..<$0]) } ?? "."
        let own = String(file[(slash.map(file.index(after:)) ?? file.startIndex)...])
        do {
            return .arrival(
                of: own, in: try DirectoryWatch(directory), file: file, name)
        } catch {
            throw Stop(.failure, "cannot watch \(file): \(error)")
        }
    }

    /// The signal for which the node triggers an event.
    var signalNumber: Int32? {
        if case .signal(let number, _) = self { number } else { nil }
    }

    /// Calls `onEvent` with the line that triggers the event, on each occasion until the task is
    /// cancelled. Signals and lines are read elsewhere.
    func occur(_ onEvent: @escaping @Sendable (String) -> Void) async {
        switch self {
        case .every(let time, let name):
            let interval = Duration.milliseconds(Int(time.milliseconds))
            var next = ContinuousClock.now + interval
            while (try? await Task.sleep(until: next, clock: .continuous)) != nil {
                onEvent(Self.trigger(name, nil))
                // Times that passed meanwhile are skipped.
                repeat {
                    next += interval
                } while next < .now
            }
        case .arrival(let own, let watch, let file, let name):
            for await arrival in watch.arrivals where arrival == own {
                onEvent(Self.trigger(name, .members(["file": .string(file)])))
            }
        case .signal, .change, .line: break
        }
    }

    /// Returns the line that triggers the event of a signal; `nil` for other occasions and signals.
    func trigger(forSignal number: Int32) -> String? {
        guard case .signal(number, let name) = self else {
            return nil
        }
        let text = Self.signalNumbers.first { $0.value == number }?.key ?? ""
        return Self.trigger(name, .members(["signal": .string(text)]))
    }

    /// Returns the line of `--stdio` that triggers an event.
    static func trigger(_ name: EventName, _ payload: JSONValue?) -> String {
        JSONValue.members(["trigger": .text(name), "payload": payload]).text
    }
}
