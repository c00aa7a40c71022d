// SPDX-License-Identifier: Apache-2.0

import Cascade

/// A message of the chaos workers. Its origin and number are in the payload, so that the histories do not
/// depend on the IDs that the bus assigns.
protocol Work: Event {
    var origin: String { get }
    var number: Int { get }
}

extension Work {
    /// The key of the message in a history.
    var words: String {
        "\(Self.name) \(origin) \(number)"
    }
}

/// An event that the nearest node of at most `depth` handles.
struct Job: Work {
    let origin: String
    let number: Int
    let depth: Int
    /// Whether that node must fail.
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

/// The error of a node at a broken job.
struct Broken: ReportableError {}
