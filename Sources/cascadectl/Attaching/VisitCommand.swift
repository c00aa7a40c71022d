// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeJSON
import CascadeSession
import Subprocess

/// A program that runs for a visit: the payload is its standard input, its exit status the answer.
struct VisitCommand: Sendable {
    private let program: ProgramFile
    private let commandGuard: CommandGuard
    private let endpoint: String

    /// The maximum size of the output, in bytes.
    private static let outputByteCountMax = 16 << 20
    /// The maximum length of an error message.
    private static let messageLengthMax = 4096

    init(_ program: ProgramFile, commandGuard: CommandGuard, endpoint: String) {
        self.program = program
        self.commandGuard = commandGuard
        self.endpoint = endpoint
    }

    /// Runs the program to its end. Cancellation of the task, or the visit's deadline, ends the
    /// program's whole process group.
    func answer(_ pending: PendingVisit) async -> Answer {
        let left = pending.timeLeft
        guard left > .zero else {
            return failed("", else: Self.deadlinePassed)
        }
        let group = CommandGroup(commandGuard: commandGuard)
        // A task of its own, which cancellation does not reach: the end of the process group ends
        // it.
        let work = Task { await run(pending, in: group) }
        let timer = Task {
            try await Task.sleep(for: left)
            if await group.timeOut() {
                await Self.abandon(work)
            }
        }
        let answer = await withTaskCancellationHandler {
            await work.value
        } onCancel: {
            Task {
                await group.end()
                await Self.abandon(work)
            }
        }
        timer.cancel()
        if Task.isCancelled {
            await group.end()
        }
        guard await group.hasTimedOut else {
            return answer
        }
        await group.end()
        Output.line(pending.timeoutLine.text)
        return failed("", else: Self.deadlinePassed)
    }

    /// Waits a second for the end of the outputs, then cancels `work`: a process that has left the
    /// group may hold them open.
    private static func abandon(_ work: Task<Answer, Never>) async {
        try? await Task.sleep(for: .seconds(1))
        work.cancel()
    }

    private static let deadlinePassed =
        "the visit's deadline has passed, and the command was ended"

    private func run(_ pending: PendingVisit, in group: CommandGroup) async -> Answer {
        let answer = await run(pending) { await group.begin($0) }
        await group.finish()
        return answer
    }

    private func run(
        _ pending: PendingVisit, onStart: @escaping @Sendable (Int32) async -> Void
    ) async -> Answer {
        var options = PlatformOptions()
        options.processGroupID = 0
        do {
            let result = try await Subprocess.run(
                .path(Self.literal(program.path)),
                arguments: Arguments(
                    executablePathOverride: program.arguments[0],
                    remainingValues: Array(program.arguments.dropFirst())),
                environment: .inherit.updating(variables(pending)), platformOptions: options,
                input: .inputWriter, output: .bytes(limit: Self.outputByteCountMax),
                error: .bytes(limit: Self.outputByteCountMax)
            ) { execution in
                await onStart(execution.processIdentifier.value)
                let writer = execution.standardInputWriter
                // Fails if the command has closed its input, which is no error.
                _ = try? await writer.write(Array(pending.visit.payload))
                try await writer.finish()
            }
            Output.forwardDiagnostics(result.standardError)
            return answer(
                pending, result.terminationStatus, output: result.standardOutput,
                standardError: result.standardError)
        } catch {
            return failed("", else: "'\(program.path)' could not be run: \(error)")
        }
    }

    /// Returns a path in Subprocess's type for paths, whose module this target does not import.
    private static func literal<Path: ExpressibleByStringLiteral>(_ text: String) -> Path
    where Path.StringLiteralType == String {
        Path(stringLiteral: text)
    }

    private func answer(
        _ pending: PendingVisit, _ status: TerminationStatus, output: [UInt8],
        standardError: [UInt8]
    ) -> Answer {
        let errorText = String(decoding: standardError, as: UTF8.self)
        switch status {
        case .exited(0): return success(pending, output)
        case .exited(1):
            return pending.option.mayDecline ? .notHandled : declined(pending, errorText)
        case .exited(let code): return failed(errorText, else: "the command exited with \(code)")
        case .signaled(let signal):
            return failed(errorText, else: "signal \(signal) ended the command")
        }
    }

    private func success(_ pending: PendingVisit, _ output: [UInt8]) -> Answer {
        switch pending.option.role {
        case .replacement:
            return problem(pending, output) ?? .replaced(nil, output)
        case .responder(let declaration) where declaration.kind == .respond:
            return output.isEmpty
                ? .handled(reply: []) : problem(pending, output) ?? .handled(reply: output)
        case .responder, .subscription:
            return .handled(reply: [])
        }
    }

    /// Returns the failure of a command whose output must be JSON, as the visit's payload is, and
    /// is not; `nil` if the output is valid.
    private func problem(_ pending: PendingVisit, _ output: [UInt8]) -> Answer? {
        guard pending.visit.contentType == nil else {
            return nil
        }
        do throws(JSONError) {
            _ = try JSONValue(parsing: output[...])
            return nil
        } catch {
            return failed("the command's output is not JSON: \(error)")
        }
    }

    /// Returns the failure of a command, with what it wrote to standard error as its message;
    /// `reason` if it wrote nothing.
    private func failed(_ errorText: String, else reason: String = "") -> Answer {
        let text = errorText.split(separator: "\n").joined(separator: "\n")
        let message = text.isEmpty ? reason : String(text.prefix(Self.messageLengthMax))
        return .failed(Failure(name: .commandFailed, message: message))
    }

    /// Returns the failure of a command that declines a visit to a responder that cannot decline.
    private func declined(_ pending: PendingVisit, _ errorText: String) -> Answer {
        let reason =
            "the command exited with 1 (not handled), which '\(pending.option.kind)' cannot answer"
        let last = errorText.split(separator: "\n").last.map { ": \($0)" } ?? ""
        return failed(reason + last)
    }

    /// Returns the environment variables to set for a visit, or to unset.
    private func variables(_ pending: PendingVisit) -> [Subprocess.Environment.Key: String?] {
        let visit = pending.visit
        var variables: [Subprocess.Environment.Key: String?] = [
            "CASCADE_BUS": endpoint,
            "CASCADE_LANE": visit.laneName,
            "CASCADE_NAME": visit.name.description,
            "CASCADE_ID": visit.id.description,
            "CASCADE_ORIGIN": visit.origin.description,
            "CASCADE_PATH": visit.node.description,
            "CASCADE_RESPONDER": String(pending.index),
            // The service manager set these variables for this process only.
            "CASCADE_NODE": nil, "NOTIFY_SOCKET": nil, "WATCHDOG_USEC": nil,
        ]
        if visit.isRedelivered {
            variables["CASCADE_SENT_AGAIN"] = "1"
        }
        if let failure = visit.failure {
            variables["CASCADE_MESSAGE"] = failure.message?.withoutNul
            variables["CASCADE_TITLE"] = failure.title?.withoutNul
            variables["CASCADE_NODE"] = failure.node?.description
        }
        for attribute in visit.attributes where !attribute.value.utf8.contains(0) {
            if let key = Environment.Key(attributeKey: attribute.key) {
                variables[key] = attribute.value
            }
        }
        return variables
    }
}

extension EventName {
    /// The error of a failed command.
    fileprivate static let commandFailed: EventName = "commandFailed"
}

extension String {
    /// The text up to the first NUL, where the value of a variable ends.
    fileprivate var withoutNul: String {
        String(prefix { $0 != "\0" })
    }
}

extension Subprocess.Environment.Key {
    /// Creates the variable's name from an attribute's key, in upper case, with `_` for each
    /// character other than a letter or digit. Returns `nil` if the result is invalid.
    fileprivate init?(attributeKey key: String) {
        self.init(rawValue: "CASCADE_ATTRIBUTE_" + EnvironmentVariables.name(key))
    }
}
