// SPDX-License-Identifier: Apache-2.0

import Cascade

/// Keys for tests of the environment.
enum PaperSize: String, Codable, Sendable {
    case a3, a4, letter
}

struct PaperSizeKey: EnvironmentKey {
    static let defaultValue = PaperSize.a4
}

struct CopiesKey: EnvironmentKey {
    static let defaultValue = 1
}

struct IsOpenKey: EnvironmentKey {
    static let defaultValue = true
}

struct GreetingKey: EnvironmentKey {
    static let name = "shop.greeting"
    static let defaultValue = "hello"
}

struct Margins: Codable, Equatable, Sendable {
    var left = 0
    var right = 0
}

struct MarginsKey: EnvironmentKey {
    static let defaultValue = Margins()
}

extension EnvironmentValues {
    var paperSize: PaperSize {
        get { self[PaperSizeKey.self] }
        set { self[PaperSizeKey.self] = newValue }
    }

    var copies: Int {
        get { self[CopiesKey.self] }
        set { self[CopiesKey.self] = newValue }
    }

    var isOpen: Bool {
        get { self[IsOpenKey.self] }
        set { self[IsOpenKey.self] = newValue }
    }

    var greeting: String {
        get { self[GreetingKey.self] }
        set { self[GreetingKey.self] = newValue }
    }

    var margins: Margins {
        get { self[MarginsKey.self] }
        set { self[MarginsKey.self] = newValue }
    }
}

struct QueuedJobsKey: PreferenceKey {
    static let defaultValue = 0
    static let reducer = PreferenceReducer.sum
}
