// SPDX-License-Identifier: Apache-2.0

import Cascade

/// What is raised again and again. Who raised it, and which of theirs it is, stands in its payload,
/// so that a history need not believe what the bus says about it.
protocol Work: Event {
    var origin: String { get }
    var number: Int { get }
}

extension Work {
    /// What it is called in a history.
    var words: String {
        "\(Self.name) \(origin) \(number)"
    }
}

/// An event that is to be handled by the nearest node of a depth, or of a smaller one.
struct Job: Work {
    let origin: String
    let number: Int
    let depth: Int
    /// Whether the node is to fail in place of handling it.
    let isBroken: Bool
    var filling = ""
}

/// An event that is raised and forgotten.
struct Tick: Work {
    let origin: String
    let number: Int
    let depth: Int
}

/// A publication.
struct Notice: Work {
    let origin: String
    let number: Int
}

/// An event whose round trip is measured.
struct Ping: Work {
    let origin: String
    let number: Int
}

/// What a node throws that was asked to.
struct Broken: ReportableError {}
