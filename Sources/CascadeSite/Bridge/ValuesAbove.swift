// SPDX-License-Identifier: Apache-2.0

import CascadeJSON
import CascadeWire

/// The values that a node at the mount reads on the parent's bus.
struct ValuesAbove: Equatable, Sendable {
    private struct Value: Equatable {
        var key: EventName
        var json: String
        /// Whether a rule gave it, or a fallback of a bus farther above.
        var isFallback: Bool
        /// The site and the place that it comes from.
        var source: ValueSource
    }

    private static let siteKeyPrefix = "site."

    /// Sorted by the keys, of which each is there once.
    private var values: [Value] = []
    /// The names of the sites from the root site down to the parent.
    private(set) var sites: [String] = []

    init() {}

    /// Reads the values from the answer about the environment of the mount. Throws `JSONError` if it is not
    /// one.
    init(environment document: String, _ paths: PathTranslator) throws(JSONError) {
        var values: [EventName: Value] = [:]
        for entry in try JSONValue(parsing: document)["values"]?.elements ?? [] {
            guard let key = entry["key"]?.string.flatMap({ try? EventName($0) }),
                let value = entry["value"]
            else {
                continue
            }
            if key == SitePath.key {
                sites = value.elements.compactMap(\.string)
            }
            guard BuiltInKey(key) == nil, !key.description.hasPrefix(Self.siteKeyPrefix) else {
                continue
            }
            values[key] = Value(
                key: key, json: value.text, isFallback: entry["kind"]?.string != "set",
                source: ValueSource(of: entry, paths))
        }
        self.values = Self.sorted(values)
    }

    /// Reads the values that an earlier bridge has left, from the answer about the environment of `/`. Throws
    /// `JSONError` if it is not one.
    init(former document: String) throws(JSONError) {
        var values: [EventName: Value] = [:]
        for entry in try JSONValue(parsing: document)["values"]?.elements ?? [] {
            if let key = entry["key"]?.string.flatMap({ try? EventName($0) }),
                let value = entry["value"], let source = entry["source"]?.string
            {
                values[key] = Value(
                    key: key, json: value.text, isFallback: entry["kind"]?.string != "set",
                    source: ValueSource(source))
            }
        }
        self.values = Self.sorted(values)
    }

    private static func sorted(_ values: [EventName: Value]) -> [Value] {
        values.values.sorted { $0.key.description < $1.key.description }
    }

    /// The bounds on the values that a site reads from above.
    struct Limits: Sendable {
        var count: Int
        var byteCountOfOne: Int
        var byteCount: Int
    }

    /// Returns the values as `/` of the site's bus sets them, sorted, and the keys for which there is no
    /// room.
    func settings(
        of carried: CarriedNames, areStale: Bool, _ limits: Limits
    ) -> (settings: [EnvironmentSetting], omitted: [EventName]) {
        var settings: [EnvironmentSetting] = []
        var omitted: [EventName] = []
        var byteCount = 0
        for value in values where carried.contains(value.key) {
            let length = value.json.utf8.count
            guard settings.count < limits.count, length <= limits.byteCountOfOne,
                byteCount + length <= limits.byteCount
            else {
                omitted.append(value.key)
                continue
            }
            byteCount += length
            var source = value.source
            source.isStale = source.isStale || areStale
            settings.append(
                EnvironmentSetting(
                    value.key, value.json, isForItself: true, isSticky: true,
                    isFallback: value.isFallback, source: source))
        }
        return (settings, omitted)
    }
}

extension ValueSource {
    /// The origin of a value of the parent's bus, as the site names it. A value of a site farther above has
    /// its origin already.
    fileprivate init(of entry: JSONValue, _ paths: PathTranslator) {
        // A value may be read whose place is hidden.
        let from = entry["from"]?.string ?? "/"
        if let source = entry["source"]?.string {
            self.init(source, isStale: entry["staleSince"] != nil)
        } else if let path = try? NodePath(from) {
            self.init(((try? paths.downward(path)) ?? path).description)
        } else {
            self.init("\(paths.parent): \(from)")
        }
    }
}
