// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeInspection
import CascadeJSON
import CascadeWire

/// What the console may do at a place: what its command line admits, and what the bus's policy allows its
/// user there.
struct ActionRights: Sendable {
    /// The verbs that a page is told of.
    private static let verbs = ["inspect", "trigger", "publish", "set", "administer"]

    /// The time within which the bus says what policy allows.
    private static let patience = Duration.seconds(2)

    private let admitted: Set<ActionKind>
    private let decisions: [String: Decision]

    /// What policy says of a verb.
    private enum Decision: Sendable {
        case decided(PolicyTestDocument)
        /// The bus has not said it, for this reason.
        case unknown(String)

        var isAllowed: Bool {
            if case .decided(let test) = self { test.allowed } else { false }
        }
    }

    /// Asks the bus about a place; without one, nothing is allowed.
    init(admitted: Set<ActionKind>, at path: NodePath, of bus: BusControl?) async {
        self.admitted = admitted
        var decisions: [String: Decision] = [:]
        for verb in Self.verbs {
            decisions[verb] = await Self.decision(verb, at: path, of: bus)
        }
        self.decisions = decisions
    }

    private static func decision(
        _ verb: String, at path: NodePath, of bus: BusControl?
    ) async -> Decision {
        guard let bus else {
            return .unknown("No bus answers.")
        }
        return await withTaskGroup(of: Decision?.self) { group in
            group.addTask {
                do {
                    return .decided(try await bus.testPolicy(verb, at: path))
                } catch {
                    return .unknown((error as? CascadeError)?.message ?? "\(error)")
                }
            }
            group.addTask {
                try? await Task.sleep(for: Self.patience)
                return nil
            }
            defer { group.cancelAll() }
            return await group.next().flatMap(\.self) ?? .unknown("The bus does not answer.")
        }
    }

    /// The allowed verbs.
    var rights: JSONValue {
        .array(Self.verbs.filter { decisions[$0]?.isAllowed ?? false }.map { .string($0) })
    }

    /// `{name, allowed, admitted, message?, rule?, file?, line?}` of each action. One that is admitted is
    /// asked of policy.
    var actions: JSONValue {
        .array(
            ActionKind.allCases.map { kind in
                var members = JSONValue.memberList(["name": .string(kind.rawValue)])
                let refusal = Self.refusal(of: kind, admitted, decisions[kind.verb])
                members.append(.init(key: "allowed", value: .bool(refusal == nil)))
                members.append(.init(key: "admitted", value: .bool(admitted.contains(kind))))
                if let refusal {
                    members.append(.init(key: "message", value: .string(refusal.message)))
                    members += refusal.details
                }
                return .object(members)
            })
    }

    // MARK: - Checking

    /// Throws ``Refusal`` unless the command line admits an action.
    static func check(_ kind: ActionKind, isAmong admitted: Set<ActionKind>) throws(Refusal) {
        guard !admitted.contains(kind) else {
            return
        }
        let word = kind == .deactivate ? ActionKind.activate : kind
        throw Refusal(
            403, "lookOnly",
            admitted.isEmpty
                ? "This console only looks: it was started without --allow-actions."
                : "This console was started without --allow-actions=\(word.rawValue).")
    }

    /// Throws ``Refusal`` with the rule unless policy allows an action at a place.
    static func check(
        _ kind: ActionKind, at path: NodePath, of bus: BusControl
    ) async throws(Refusal) {
        if let refusal = refusal(of: kind, [kind], await decision(kind.verb, at: path, of: bus)) {
            throw refusal
        }
    }

    /// Why an action is not carried out; `nil` if it may be.
    private static func refusal(
        of kind: ActionKind, _ admitted: Set<ActionKind>, _ decision: Decision?
    ) -> Refusal? {
        do throws(Refusal) {
            try check(kind, isAmong: admitted)
        } catch {
            return error
        }
        switch decision {
        case .decided(let test) where test.allowed: return nil
        case .decided(let test): return Refusal(denial: test)
        case .unknown(let reason): return Refusal(403, "denied", reason)
        case nil: return Refusal(403, "denied", "The bus's policy is not known.")
        }
    }
}

extension Refusal {
    /// The refusal of an action that policy denies, with the rule and its place.
    init(denial test: PolicyTestDocument) {
        self.init(
            403, "denied", "Policy denies '\(test.verb)' at '\(test.path)': \(test.why)",
            details: JSONValue.memberList([
                "rule": test.rule.map { .string($0.rule) },
                "file": test.rule?.file.map { .string($0) },
                "line": test.rule?.line.map { .integer($0) },
            ]))
    }
}
