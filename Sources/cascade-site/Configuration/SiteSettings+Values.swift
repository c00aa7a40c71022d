// SPDX-License-Identifier: Apache-2.0

import CascadeExpressions
import CascadeService
import CascadeSite
import CascadeWire
import NATS

/// The values of settings, and the faults of those that have none.
extension SiteSettings {
    /// In milliseconds. Each side of a link sends a keep-alive after 1.25 s, and one may be lost.
    private static let patienceRange: ClosedRange<UInt32> = 3_000...600_000

    /// Whether a section is present. An empty section counts as absent.
    mutating func has(_ section: String) -> Bool {
        if let placed = settings[section], placed.value == .empty {
            settings[section] = nil
        }
        return settings.keys.contains { $0.hasPrefix("\(section).") }
    }

    mutating func scalar(
        _ key: String, _ meaning: String
    ) -> (text: String, placed: PlacedSetting)? {
        guard let placed = settings.removeValue(forKey: key) else {
            return nil
        }
        guard case .scalar(let text) = placed.value, !text.isEmpty else {
            fail(placed, "\(key) has no value; it is \(meaning)")
            return nil
        }
        return (text, placed)
    }

    mutating func text(_ key: String, _ meaning: String) -> String? {
        scalar(key, meaning)?.text
    }

    mutating func siteName(_ key: String) -> SiteName? {
        guard let (text, placed) = scalar(key, "a name") else {
            return nil
        }
        do throws(SiteNameError) {
            return try SiteName(text)
        } catch {
            fail(placed, error.description)
            return nil
        }
    }

    mutating func path(_ key: String) -> NodePath? {
        guard let (text, placed) = scalar(key, "a path") else {
            return nil
        }
        do throws(NameError) {
            let path = try NodePath(text)
            guard !path.isRoot, !path.isForeign else {
                fail(placed, "\(key) is \(path); a mount is a node below the root of the bus")
                return nil
            }
            return path
        } catch {
            fail(placed, error.description)
            return nil
        }
    }

    mutating func endpoint(_ key: String) -> String? {
        guard let (text, placed) = scalar(key, "an endpoint") else {
            return nil
        }
        guard text.hasPrefix("ipc:///") || text.hasPrefix("tcp://") else {
            fail(
                placed,
                "'\(text.escapedForDisplay())' is not an endpoint; write ipc:///PATH or "
                    + "tcp://HOST:PORT")
            return nil
        }
        return text
    }

    mutating func address(_ key: String) -> ServerAddress? {
        guard let (text, placed) = scalar(key, "HOST or HOST:PORT") else {
            return nil
        }
        guard let address = ServerAddress(text) else {
            fail(
                placed,
                "'\(text.escapedForDisplay())' is not HOST or HOST:PORT with a port from 1 to 65535"
            )
            return nil
        }
        return address
    }

    mutating func duration(_ key: String) -> Duration? {
        guard let (text, placed) = scalar(key, "a time such as 5s") else {
            return nil
        }
        guard let span = TimeSpan(text), Self.patienceRange.contains(span.milliseconds) else {
            fail(
                placed,
                "'\(text.escapedForDisplay())' is not a value of \(key); it is a time from 3s to 10m"
            )
            return nil
        }
        return .milliseconds(Int64(span.milliseconds))
    }

    mutating func names(_ key: String) -> CarriedNames {
        guard let placed = settings.removeValue(forKey: key) else {
            return .all
        }
        let patterns: [String]
        switch placed.value {
        case .empty:
            fail(placed, "\(key) has no value; it is a list of globs, and [] for no name")
            return .all
        case .scalar(let text): patterns = [text]
        case .list(let texts): patterns = texts
        }
        for pattern in patterns where !Self.canMatchName(pattern) {
            fail(
                placed,
                "'\(pattern.escapedForDisplay())' in \(key) matches no name: a glob has letters, digits, "
                    + "_ . : - and the wildcards * and ?")
        }
        return patterns.contains("*") ? .all : .matching(patterns.map { Glob($0) })
    }

    /// Whether a glob has only characters of names, and wildcards. Any other one matches no name.
    private static func canMatchName(_ pattern: String) -> Bool {
        !pattern.isEmpty
            && pattern.utf8.allSatisfy { byte in
                NameRule.allows(byte, isFirst: false) || "*?".utf8.contains(byte)
            }
    }

    // MARK: - Faults

    mutating func fail(_ placed: PlacedSetting, _ sentence: String) {
        faults.append(SettingFault(placed.origin, sentence))
    }

    /// Reports that a setting is missing, unless it is present with a fault.
    mutating func require(_ key: String, _ meaning: String) {
        guard faults.isEmpty else {
            return
        }
        faults.append(SettingFault(nil, "\(file): '\(key)' is missing: \(meaning)"))
    }

    mutating func rejectRest() {
        for placed in settings.values {
            if let section = Self.sections[placed.key] {
                fail(placed, "\(placed.key) is a section with \(section)")
                continue
            }
            let question = Spelling.question(Spelling.nearest(to: placed.key, among: Self.keys))
            fail(placed, "unknown setting '\(placed.key.escapedForDisplay())'\(question)")
        }
    }

    private static let sections = [
        "parent": "name, server, key, trust; or name, bus, mount, key, trust",
        "server": "listen, address, publicAddress, key, trust",
        "children": "the mount of each child by its name",
    ]

    private static let keys = [
        "name", "realm", "bus", "parent.name", "parent.server", "parent.bus", "parent.mount",
        "parent.key", "parent.trust", "server.listen", "server.address", "server.publicAddress",
        "server.key", "server.trust", "patience", "up", "down", "environment", "preferences",
        "inspect", "metricsSocket",
    ]

    /// Orders faults by their lines; those without a line come last.
    static func precedes(_ left: SettingFault, _ right: SettingFault) -> Bool {
        place(left) < place(right)
    }

    private static func place(_ fault: SettingFault) -> (Int, Int) {
        guard case .file(_, let line, let column) = fault.origin else {
            return (.max, 0)
        }
        return (line, column)
    }
}
