// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeSession

/// Raises what a node wants raised, in order, and tells how each ended.
///
/// It waits for the bus's credit, which may only come back once this node has answered what it is
/// asked; so it is a task of its own beside the conversation.
struct RaiseQueue: Sendable {
    struct Entry: Sendable {
        let raising: Raising
        let options: RaiseOptions
        let ref: JSONValue?
    }

    private let entries: AsyncStream<Entry>
    private let continuation: AsyncStream<Entry>.Continuation

    init() {
        (entries, continuation) = AsyncStream.makeStream()
    }

    func append(_ entry: Entry) {
        continuation.yield(entry)
    }

    /// Raises entries until it is cancelled.
    ///
    /// - Parameter onEnd: called once for each entry, with the line to print.
    func run(_ link: Link, onEnd: @escaping @Sendable (JSONValue) -> Void) async {
        await withDiscardingTaskGroup { group in
            for await entry in entries {
                do {
                    let raised = try await link.raise(entry.raising, entry.options)
                    group.addTask {
                        onEnd(await Self.line(link, raised.id, entry))
                    }
                } catch {
                    onEnd(.problem("\(error)", ref: entry.ref))
                }
            }
        }
    }

    private static func line(_ link: Link, _ id: EventID, _ entry: Entry) async -> JSONValue {
        do {
            let outcome = OutcomeDocument(
                id: id, name: entry.raising.name,
                settled: try await link.outcome(of: id.sequence))
            guard
                case .object(let lane) = JSONValue.members(["lane": "outcome", "ref": entry.ref]),
                case .object(let members) = outcome.json
            else {
                return .null
            }
            return .object(lane + members)
        } catch {
            return .problem("\(error)", ref: entry.ref)
        }
    }
}

extension JSONValue {
    /// The line about something that could not be done.
    static func problem(_ message: String, ref: JSONValue? = nil) -> JSONValue {
        .members(["lane": "problem", "message": .string(message), "ref": ref])
    }
}
