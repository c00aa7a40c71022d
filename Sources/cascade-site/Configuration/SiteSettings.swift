// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeExpressions
import CascadeService
import CascadeSite
import CascadeWire
import NATS

/// The settings of a file on their way into a ``SiteConfiguration``. Each setting is taken once; a
/// setting that is never taken is unknown.
struct SiteSettings {
    /// In milliseconds. Each side of a link sends a keep-alive after 1.25 s, and one may be lost.
    private static let patienceRange: ClosedRange<UInt32> = 3_000...600_000

    private let file: String
    private var settings: [String: PlacedSetting] = [:]
    private(set) var faults: [SettingFault]

    init(_ text: String, file: String) {
        self.file = file
        let text = SettingsText(text, file: file)
        faults = text.faults
        for setting in text.settings {
            settings[setting.key] = setting
        }
    }

    /// Returns the configuration; `nil` if it has no valid name. It counts only without ``faults``.
    mutating func configuration() -> SiteConfiguration? {
        let name = siteName("name")
        if name == nil {
            require("name", "the name of this site")
        }
        var configuration = SiteConfiguration(
            name: name ?? "unnamed", bus: endpoint("bus") ?? BusEndpoint.system)
        configuration.realm = siteName("realm") ?? configuration.realm
        configuration.children = children()
        configuration.server = server()
        configuration.parent = parent()
        readPassages(into: &configuration)
        rejectRest()
        if faults.isEmpty {
            checkChildren(of: configuration)
        }
        faults.sort(by: Self.precedes)
        return name == nil ? nil : configuration
    }

    // MARK: - Sections

    private mutating func parent() -> SiteParent? {
        guard has("parent") else {
            return nil
        }
        let name = siteName("parent.name")
        if name == nil {
            require("parent.name", "the name of the site above")
        }
        guard settings["parent.bus"] == nil else {
            return name.flatMap { parentOnBus($0) }
        }
        guard let access = access("parent", address: "server"), let name else {
            return nil
        }
        return SiteParent(name: name, way: .server(access))
    }

    private mutating func parentOnBus(_ name: SiteName) -> SiteParent? {
        if let placed = settings["parent.server"] {
            fail(placed, "a parent has 'server' or 'bus', not both")
        }
        let mount = path("parent.mount")
        if mount == nil {
            require(
                "parent.mount", "the place of this site: without a server, no gate tells it")
        }
        let key = text("parent.key", "the path of a file")
        let trust = text("parent.trust", "the public key of the parent's bus")
        guard let endpoint = endpoint("parent.bus"), let mount else {
            return nil
        }
        return SiteParent(
            name: name,
            way: .bus(endpoint: endpoint, mount: mount, key: key, trust: trust))
    }

    private mutating func server() -> SiteServer? {
        guard has("server") else {
            return nil
        }
        let listen =
            address("server.listen")
            ?? ServerAddress(host: "0.0.0.0", port: ServerAddress.defaultPort)
        let publicAddress = address("server.publicAddress")
        let local = ServerAddress(host: "localhost", port: listen.port)
        guard let access = access("server", address: "address", standard: local) else {
            return nil
        }
        return SiteServer(access: access, listen: listen, publicAddress: publicAddress)
    }

    private mutating func access(
        _ section: String, address name: String, standard: ServerAddress? = nil
    ) -> SiteServerAccess? {
        let address = address("\(section).\(name)") ?? standard
        if address == nil {
            require("\(section).\(name)", "the address of the NATS server, HOST:PORT")
        }
        let key = text("\(section).key", "the path of a file")
        let trust = text("\(section).trust", "the path of a file of certificates, or 'none'")
        if trust == nil {
            require(
                "\(section).trust",
                "the file of the certificates that are trusted; 'none' connects without TLS")
        }
        return address.map {
            SiteServerAccess(address: $0, key: key, trust: trust == "none" ? nil : trust)
        }
    }

    private mutating func children() -> [SiteName: NodePath] {
        _ = has("children")
        var children: [SiteName: NodePath] = [:]
        for key in settings.keys.sorted() where key.hasPrefix("children.") {
            do throws(SiteNameError) {
                let name = try SiteName(key.dropFirst("children.".count))
                children[name] = path(key)
            } catch {
                if let placed = settings.removeValue(forKey: key) {
                    fail(placed, error.description)
                }
            }
        }
        return children
    }

    /// Checks what a gate checks, so that the file is refused and not the gate.
    private mutating func checkChildren(of configuration: SiteConfiguration) {
        do throws(GateConfigurationError) {
            _ = try GateConfiguration(
                name: configuration.name, bus: configuration.bus,
                children: configuration.children)
        } catch {
            faults.append(SettingFault(nil, "\(file): \(error)"))
        }
        if configuration.parent?.name == configuration.name {
            faults.append(SettingFault(nil, "\(file): the parent has the name of this site"))
        }
        if !configuration.children.isEmpty, configuration.server == nil {
            faults.append(
                SettingFault(
                    nil, "\(file): children need a server; 'cascade-site init' sets one up"))
        }
    }

    private mutating func readPassages(into configuration: inout SiteConfiguration) {
        configuration.up = names("up")
        configuration.down = names("down")
        configuration.environment = names("environment")
        configuration.preferences = names("preferences")
        configuration.metricsSocket = text("metricsSocket", "the path of a socket")
        configuration.patience = duration("patience") ?? configuration.patience
        let choices = InspectionAccess.allCases.map(\.rawValue)
        if let (text, placed) = scalar("inspect", choices.joined(separator: " or ")) {
            if let inspection = InspectionAccess(rawValue: text) {
                configuration.inspection = inspection
            } else {
                fail(placed, "inspect is \(choices.joined(separator: " or "))")
            }
        }
    }

    // MARK: - Values

    /// Whether a section is present. An empty section counts as absent.
    private mutating func has(_ section: String) -> Bool {
        if let placed = settings[section], placed.value == .empty {
            settings[section] = nil
        }
        return settings.keys.contains { $0.hasPrefix("\(section).") }
    }

    private mutating func scalar(
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

    private mutating func text(_ key: String, _ meaning: String) -> String? {
        scalar(key, meaning)?.text
    }

    private mutating func siteName(_ key: String) -> SiteName? {
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

    private mutating func path(_ key: String) -> NodePath? {
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

    private mutating func endpoint(_ key: String) -> String? {
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

    private mutating func address(_ key: String) -> ServerAddress? {
        guard let (text, placed) = scalar(key, "HOST or HOST:PORT") else {
            return nil
        }
        guard let address = ServerAddress(text) else {
            fail(placed, "'\(text.escapedForDisplay())' is not HOST or HOST:PORT")
            return nil
        }
        return address
    }

    private mutating func duration(_ key: String) -> Duration? {
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

    private mutating func names(_ key: String) -> CarriedNames {
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

    private mutating func fail(_ placed: PlacedSetting, _ sentence: String) {
        faults.append(SettingFault(placed.origin, sentence))
    }

    /// Reports that a setting is missing, unless it is present with a fault.
    private mutating func require(_ key: String, _ meaning: String) {
        guard faults.isEmpty else {
            return
        }
        faults.append(SettingFault(nil, "\(file): '\(key)' is missing: \(meaning)"))
    }

    private mutating func rejectRest() {
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
    private static func precedes(_ left: SettingFault, _ right: SettingFault) -> Bool {
        place(left) < place(right)
    }

    private static func place(_ fault: SettingFault) -> (Int, Int) {
        guard case .file(_, let line, let column) = fault.origin else {
            return (.max, 0)
        }
        return (line, column)
    }
}
