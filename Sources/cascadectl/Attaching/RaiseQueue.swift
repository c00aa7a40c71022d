// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeJSON
import CascadeSession

/// The messages, assignments and activations of a node, which are sent in order and whose results are
/// printed.
///
/// The queue waits for the bus's credit, which may return only after this node has answered its
/// visits. So it runs in a task of its own, beside the conversation.
struct RaiseQueue: Sendable {
    enum Entry: Sendable {
        case raise(Raising, RaiseOptions, ref: JSONValue?)
        case set(Assignments, at: NodePath, ref: JSONValue?)
        case activate(Bool, NodePath, ref: JSONValue?)
    }

    private let entries: AsyncStream<Entry>
    private let continuation: AsyncStream<Entry>.Continuation

    init() {
        (entries, continuation) = AsyncStream.makeStream()
    }

    func append(_ entry: Entry) {
        continuation.yield(entry)
    }

    /// Sends entries until the task is cancelled.
    ///
    /// - Parameter onEnd: Called once for each entry, when its result is known, with the line to
    ///   print, if there is one.
    func run(_ link: Link, onEnd: @escaping @Sendable (JSONValue?) -> Void) async {
        await withDiscardingTaskGroup { group in
            for await entry in entries {
                switch entry {
                case .raise(let raising, let options, let ref):
                    do {
                        let raised = try await link.raise(raising, options)
                        group.addTask {
                            onEnd(await Self.outcomeLine(raised, raising.name, ref))
                        }
                    } catch {
                        onEnd(.problem("\(error)", ref: ref))
                    }
                case .set(let assignments, let path, let ref):
                    // The values must be set before later messages are raised.
                    onEnd(await Self.line(ref) { try await link.set(assignments, at: path) })
                case .activate(let isActive, let path, let ref):
                    onEnd(
                        await Self.line(ref) {
                            try await link.activate(path, isActive: isActive)
                        })
                }
            }
        }
    }

    /// Waits for the outcome of a message. Returns the line for it.
    private static func outcomeLine(
        _ raised: RaisedEvent, _ name: EventName, _ ref: JSONValue?
    ) async -> JSONValue {
        do {
            let outcome = RaisedOutcome(
                id: raised.id, name: name, settled: try await raised.pending.value)
            return .object(
                JSONValue.memberList(["lane": "outcome", "ref": ref]) + outcome.json.members)
        } catch {
            return .problem("\(error)", ref: ref)
        }
    }

    /// Makes a change. Returns a line if the program's line has a reference, or after a failure.
    private static func line(
        _ ref: JSONValue?, for change: () async throws -> Void
    ) async -> JSONValue? {
        do {
            try await change()
            return ref.map { .members(["lane": "done", "ref": $0]) }
        } catch {
            return .problem("\(error)", ref: ref)
        }
    }
}

extension JSONValue {
    /// Returns the line for a failure.
    static func problem(_ message: String, ref: JSONValue? = nil) -> JSONValue {
        .members(["lane": "problem", "message": .string(message), "ref": ref])
    }
}
