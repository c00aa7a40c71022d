// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// The values that a node at the mount reads, which `/` sets at home, and why some of them are not known.
struct EnvironmentAbove: Sendable {
    /// The names of the sites above, the root site first.
    var sites: [String] = []
    private var values = ValuesAbove()
    /// Whether the values may have changed above, because the link is cut or cannot carry them.
    private var areStale = false
    /// Why no values are read from above.
    private var refusal: String?
    /// Whether the parent lets the site read no values.
    private(set) var isDenied = false
    /// Why the values above are not known, although the link is up.
    private var gap: String?
    /// The keys whose values the site lets down.
    private let carried: CarriedNames
    private var limits = ValuesAbove.Limits(ofBus: [])

    init(carried: CarriedNames) {
        self.carried = carried
    }

    /// Takes the values that an earlier bridge has left at `/`.
    mutating func restore(_ former: ValuesAbove) {
        values = former
        areStale = true
    }

    /// Takes the values that the parent's bus tells.
    ///
    /// - Returns: Whether `/` has to set others.
    mutating func update(_ values: ValuesAbove) -> Bool {
        gap = nil
        guard values != self.values || areStale || isDenied else {
            return false
        }
        self.values = values
        isDenied = false
        areStale = false
        refusal = nil
        return true
    }

    /// The values may have changed above.
    mutating func markStale() {
        areStale = true
    }

    /// The link cannot carry the values.
    ///
    /// - Returns: Whether `/` has to mark what it sets as stale.
    mutating func leaveUnknown(_ sentence: String) -> Bool {
        gap = sentence
        guard !areStale else {
            return false
        }
        areStale = true
        return true
    }

    /// The parent lets the site read no values.
    mutating func deny(_ sentence: String) {
        gap = nil
        values = ValuesAbove()
        isDenied = true
        refusal = sentence
    }

    /// The site's own bus does not let `/` set the values.
    mutating func refuse(_ sentence: String) {
        refusal = sentence
    }

    /// Replaces the limits of the site's own bus.
    mutating func limit(by limits: [NamedNumber]) {
        self.limits = ValuesAbove.Limits(ofBus: limits)
    }

    /// Returns the values as `/` sets them, and the keys for which the site's own bus has no room.
    func settings() -> (settings: [EnvironmentSetting], omitted: [EventName]) {
        guard refusal == nil else {
            return ([], [])
        }
        return values.settings(of: carried, areStale: areStale, limits)
    }

    /// The values that are not read here, as sentences.
    func notCarried(parent: String) -> [String] {
        var sentences: [String] = []
        let omitted = settings().omitted
        if let first = omitted.first {
            sentences.append(
                "\(omitted.count) values of '\(parent)' are not read here, '\(first)' among them: "
                    + "they exceed the limits of this bus")
        }
        return sentences + [refusal, gap].compactMap(\.self)
    }
}

extension ValuesAbove.Limits {
    /// The keys that `/` sets beside those of the parent: the name of the site, its path, and its link.
    private static let ownKeyCount = 3

    /// The bounds that follow from the limits of a site's bus, with the usual number for each that is
    /// missing.
    fileprivate init(ofBus limits: [NamedNumber]) {
        func limit(_ name: String, _ usual: Int) -> Int {
            limits.first { $0.name == name }.map { Int(clamping: $0.value) } ?? usual
        }
        self.init(
            count: limit("keysPerNode", 1_024) - Self.ownKeyCount,
            byteCountOfOne: limit("valueBytes", 65_536),
            byteCount: limit("messageBytes", 1 << 20) / 2)
    }
}
