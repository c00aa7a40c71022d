// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeJSON
import CascadeSession
import Subprocess

/// Runs a program for a visit: the payload is its standard input, and its exit status is the
/// answer.
struct VisitCommand: Sendable {
    private let program: ProgramFile
    private let guardian: CommandGuard
    private let endpoint: String

    /// The maximum size of the output, in bytes.
    private static let outputByteCountMax = 16 << 20
    /// The maximum length of an error message.
    private static let messageLengthMax = 4096

    init(_ program: ProgramFile, guardian: CommandGuard, endpoint: String) {
        self.program = program
        self.guardian = guardian
        self.endpoint = endpoint
    }

    /// Runs the program until it has ended. A cancellation or an expired deadline ends its whole
    /// process group.
    func answer(_ assignment: Assignment) async -> Answer {
        let left = assignment.timeLeft
        guard left > .zero else {
            return failed("", else: Self.deadlinePassed)
        }
        let group = CommandGroup(guardian: guardian)
        // Not cancelled directly: the process group ends it with all its processes.
        let work = Task { await run(assignment, in: group) }
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
        Output.line(assignment.timeoutLine.text)
        return failed("", else: Self.deadlinePassed)
    }

    /// Waits briefly for the outputs, which a process that has left the group may still hold open.
    private static func abandon(_ work: Task<Answer, Never>) async {
        try? await Task.sleep(for: .seconds(1))
        work.cancel()
    }

    private static let deadlinePassed =
        "the visit's deadline has passed, and the command was ended"

    private func run(_ assignment: Assignment, in group: CommandGroup) async -> Answer {
        let answer = await run(assignment) { await group.begin($0) }
        await group.finish()
        return answer
    }

    private func run(
        _ assignment: Assignment, onStart: @escaping @Sendable (Int32) async -> Void
    ) async -> Answer {
        var options = PlatformOptions()
        options.processGroupID = 0
        do {
            let result = try await Subprocess.run(
                .path(Self.literal(program.path)),
                arguments: Arguments(
                    executablePathOverride: program.arguments[0],
                    remainingValues: Array(program.arguments.dropFirst())),
                environment: .inherit.updating(variables(assignment)), platformOptions: options,
                input: .inputWriter, output: .bytes(limit: Self.outputByteCountMax),
                error: .bytes(limit: Self.outputByteCountMax)
            ) { execution in
                await onStart(execution.processIdentifier.value)
                let writer = execution.standardInputWriter
                // A command may close its input early.
                _ = try? await writer.write(Array(assignment.visit.payload))
                try await writer.finish()
            }
            Output.forwardDiagnostics(result.standardError)
            return answer(
                assignment, result.terminationStatus, output: result.standardOutput,
                words: result.standardError)
        } catch {
            return failed("", else: "'\(program.path)' could not be run: \(error)")
        }
    }

    /// Returns a path as Subprocess's type for paths, which this target cannot name.
    private static func literal<Path: ExpressibleByStringLiteral>(_ text: String) -> Path
    where Path.StringLiteralType == String {
        Path(stringLiteral: text)
    }

    private func answer(
        _ assignment: Assignment, _ status: TerminationStatus, output: [UInt8],
        words standardError: [UInt8]
    ) -> Answer {
        let said = String(decoding: standardError, as: UTF8.self)
        switch status {
        case .exited(0): return success(assignment, output)
        case .exited(1): return .notHandled
        case .exited(let code): return failed(said, else: "the command exited with \(code)")
        case .signaled(let signal): return failed(said, else: "signal \(signal) ended the command")
        }
    }

    private func success(_ assignment: Assignment, _ output: [UInt8]) -> Answer {
        switch assignment.option.role {
        case .replacement:
            return problem(assignment, output) ?? .replaced(nil, output)
        case .responder(let declaration) where declaration.kind == .respond:
            return output.isEmpty
                ? .handled(reply: []) : problem(assignment, output) ?? .handled(reply: output)
        case .responder, .subscription:
            return .handled(reply: [])
        }
    }

    /// Returns the error for output that is not JSON although the payload is; `nil` if it is valid.
    private func problem(_ assignment: Assignment, _ output: [UInt8]) -> Answer? {
        guard assignment.visit.contentType == nil else {
            return nil
        }
        do throws(JSONError) {
            _ = try JSONValue(parsing: output[...])
            return nil
        } catch {
            return failed("the command's output is not JSON: \(error)")
        }
    }

    private func failed(_ said: String, else reason: String = "") -> Answer {
        let words = said.split(separator: "\n").joined(separator: "\n")
        let message = words.isEmpty ? reason : String(words.prefix(Self.messageLengthMax))
        return .failed(Failure(name: .commandFailed, message: message))
    }

    private func variables(_ assignment: Assignment) -> [Subprocess.Environment.Key: String?] {
        let visit = assignment.visit
        var variables: [Subprocess.Environment.Key: String?] = [
            "CASCADE_BUS": endpoint,
            "CASCADE_LANE": visit.laneName,
            "CASCADE_NAME": visit.name.description,
            "CASCADE_ID": visit.id.description,
            "CASCADE_ORIGIN": visit.origin.description,
            "CASCADE_PATH": visit.node.description,
            "CASCADE_RESPONDER": String(assignment.index),
            // The service manager's variables are for this process only.
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
    fileprivate static let commandFailed: EventName = {
        do throws(NameError) {
            return try EventName("commandFailed")
        } catch {
            preconditionFailure(error.description)
        }
    }()
}

extension String {
    /// The text up to the first NUL, which ends a variable.
    fileprivate var withoutNul: String {
        String(prefix { $0 != "\0" })
    }
}

extension Subprocess.Environment.Key {
    /// Returns `nil` if the key is invalid. The name is in upper case, with `_` for each character
    /// that is not a letter or digit.
    fileprivate init?(attributeKey key: String) {
        self.init(rawValue: "CASCADE_ATTRIBUTE_" + EnvironmentVariables.name(key))
    }
}
