// SPDX-License-Identifier: Apache-2.0

import Cascade

/// What the worker raises for a line of its input, and the lines that it prints about the end.
actor RaisingActions {
    private var request: Task<Void, Never>?

    @Environment(\.triggerEvent) private var triggerEvent
    @Environment(\.reportError) private var reportError
    @Environment(\.cascade) private var cascade
    @Environment(\.request) private var sendRequest
    @Environment(\.publisher) private var publisher
    @Environment(\.setEnvironment) private var setEnvironment

    /// Raises one message. Returns when it has been sent or refused; its end is printed later.
    func perform(_ verb: String, _ number: Int) async {
        let line = "\(verb) \(number)"
        await Self.printingRefusal(of: line) {
            switch verb {
            case "trigger":
                let raised = try await triggerEvent(Made(number: number))
                printEnd(of: line) { try await raised.outcome.words }
            case "large":
                let raised = try await triggerEvent(Large(byteCount: number))
                printEnd(of: line) { try await raised.outcome.words }
            case "report":
                let raised = try await reportError(Fault(number: number))
                printEnd(of: line) { try await raised.outcome.words }
            case "cascade":
                let raised = try await cascade(Swept(number: number))
                printEnd(of: line) { try await raised.outcome.words }
            case "emit":
                try await triggerEvent.emit(Made(number: number))
            case "set":
                try await setEnvironment(\.level, number)
                say("done \(line)")
            case "cancel":
                request?.cancel()
            default:
                performWithoutWaiting(verb, number)
            }
        }
    }

    /// Raises a message whose action returns only at its end, or when it is on the bus's disk.
    private func performWithoutWaiting(_ verb: String, _ number: Int) {
        let line = "\(verb) \(number)"
        switch verb {
        case "durable":
            let triggerEvent = self.triggerEvent
            printEnd(of: line) {
                let event = Kept(number: number)
                return try await triggerEvent(event, delivery: .durable).outcome.words
            }
        case "publish":
            let publish = self.publisher(for: Told.self, destination: .all)
            printEnd(of: line) { try await publish(Told(number: number)).words }
        case "request":
            let sendRequest = self.sendRequest
            request = printEnd(of: line) {
                try await sendRequest.outcome(of: Ask(number: number)).words
            }
        default:
            say("unknown \(line)")
        }
    }

    @discardableResult
    private func printEnd(
        of line: String, _ words: @escaping @Sendable () async throws -> String
    ) -> Task<Void, Never> {
        Task {
            await Self.printingRefusal(of: line) { say("outcome \(line) \(try await words())") }
        }
    }

    /// Prints a refusal of the bus. A cancelled request, and one whose session has ended, has no
    /// line.
    private static func printingRefusal(
        isolation: isolated (any Actor)? = #isolation, of line: String,
        _ raise: () async throws -> Void
    ) async {
        do {
            try await raise()
        } catch let error as CascadeError where error.code == .refused {
            say("refused \(line) \(error.reason.map { "\($0)" } ?? "unknown")")
        } catch {}
    }
}

// MARK: - Outcomes as words

extension Outcome {
    fileprivate var words: String {
        switch self {
        case .handled(let node): "handled \(node)"
        case .unhandled: "unhandled"
        case .failed(let failure): "failed \(failure.name)"
        case .timedOut: "timedOut"
        case .caught(let failure, _): "caught \(failure.name)"
        case .rejected(let failure): "rejected \(failure.name)"
        case .looped(let failure): "looped \(failure.name)"
        }
    }
}

extension CascadeOutcome {
    fileprivate var words: String {
        switch self {
        case .cascaded(let nodes, _): "cascaded \(nodes.count)"
        case .rejected(let failure): "rejected \(failure.name)"
        case .looped(let failure): "looped \(failure.name)"
        case .failed(let failure): "failed \(failure.name)"
        }
    }
}

extension PublicationOutcome {
    fileprivate var words: String {
        switch self {
        case .delivered(let nodes): "delivered \(nodes.count)"
        case .noSubscriber: "noSubscriber"
        case .failed(let failure): "failed \(failure.name)"
        case .timedOut: "timedOut"
        }
    }
}

extension RequestOutcome where Reply == Int {
    fileprivate var words: String {
        switch self {
        case .answered(let reply, _): "handled \(reply)"
        case .unhandled: "unhandled"
        case .failed(let error): "failed \(error.name)"
        case .timedOut: "timedOut"
        case .rejected(let failure): "rejected \(failure.name)"
        case .looped(let failure): "looped \(failure.name)"
        }
    }
}
