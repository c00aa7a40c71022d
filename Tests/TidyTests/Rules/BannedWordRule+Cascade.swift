// SPDX-License-Identifier: Apache-2.0

extension BannedWordRule {
    /// A state machine whose inputs are the same does the same: that makes runs repeatable.
    static let pureTargets = BannedWordRule(
        words: [
            BannedWord("Task {", instead: "return an effect and let the shell run it"),
            BannedWord("Task(", instead: "return an effect and let the shell run it"),
            BannedWord("Task.detached", instead: "return an effect and let the shell run it"),
            BannedWord("ContinuousClock", instead: "take the instant as an argument"),
            BannedWord("SuspendingClock", instead: "take the instant as an argument"),
            BannedWord("Date(", instead: "take the instant as an argument"),
            BannedWord(".random(", instead: "pass a generator", acceptedWith: "using"),
            BannedWord("randomElement(", instead: "pass a generator", acceptedWith: "using"),
            BannedWord("shuffled(", instead: "pass a generator", acceptedWith: "using"),
            BannedWord("shuffle(", instead: "pass a generator", acceptedWith: "using"),
        ],
        appliesTo: { $0.target.map(Architecture.pureTargets.contains) ?? false }
    )

    /// A crash needs a reason, and a failure needs a way to the caller.
    static let sources = BannedWordRule(
        words: [
            BannedWord("try!", instead: "handle the error, or let it reach the caller"),
            BannedWord("as!", instead: "use 'as?' and say what happens otherwise"),
            BannedWord("fatalError(", instead: "trap by a precondition that gives the reason"),
        ],
        appliesTo: { $0.target != nil }
    )

    /// A library's words reach people through a log handler or a return value.
    static let printing = BannedWordRule(
        words: [BannedWord("print(", instead: "log it, or return it to the program")],
        appliesTo: { $0.target.map { !Architecture.programs.contains($0) } ?? false }
    )

    /// A test that waits for time to pass is slow on an idle machine and wrong on a busy one. The
    /// tests of the virtual clock sleep by it: no time passes.
    static let tests = BannedWordRule(
        words: [
            BannedWord("sleep(", instead: "wait for the event itself, or move a virtual clock"),
            BannedWord("Task.sleep", instead: "wait for the event itself, or move a virtual clock"),
            BannedWord("usleep(", instead: "wait for the event itself, or move a virtual clock"),
            BannedWord("nanosleep(", instead: "wait for the event itself, or move a virtual clock"),
        ],
        appliesTo: { $0.isTest && !$0.path.hasSuffix("/VirtualClockTests.swift") }
    )

    static let all = [pureTargets, sources, printing, tests]
}
