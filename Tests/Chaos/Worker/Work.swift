// SPDX-License-Identifier: Apache-2.0

import Cascade

/// Messages of the chaos workers. Their origin and number are in the payload, so that a history
/// does not depend on what the bus says about them.
protocol Work: Event {
    var origin: String { get }
    var number: Int { get }
}

extension Work {
    /// The name in a history.
    var words: String {
        "\(Self.name) \(origin) \(number)"
    }
}

/// An event to be handled by the nearest node of a depth, or of a smaller one.
struct Job: Work {
    let origin: String
    let number: Int
    let depth: Int
    /// Whether the node must fail instead of handling it.
    let isBroken: Bool
    var filling = ""
}

/// An event without an outcome.
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

/// The error of a node that must fail.
struct Broken: ReportableError {}
