// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeService
import CascadeSite
import CascadeWire
import NATS

/// The settings of a file on their way into a ``SiteConfiguration``. Each setting is taken once; a
/// setting that is never taken is unknown.
struct SiteSettings {
    let file: String
    /// The settings that are not taken.
    var settings: [String: PlacedSetting] = [:]
    var faults: [SettingFault]

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
        if settings["parent.server"] != nil,
            let placed = settings.removeValue(forKey: "parent.mount")
        {
            fail(placed, "a parent with 'server' has no 'mount': the parent's gate tells it")
        }
        guard let access = access("parent", address: "server"), let name else {
            return nil
        }
        return SiteParent(name: name, way: .server(access))
    }

    private mutating func parentOnBus(_ name: SiteName) -> SiteParent? {
        if let placed = settings.removeValue(forKey: "parent.server") {
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
        if let parent = configuration.parent?.name {
            if parent == configuration.name {
                faults.append(SettingFault(nil, "\(file): the parent has the name of this site"))
            }
            if configuration.children[parent] != nil {
                faults.append(
                    SettingFault(
                        nil, "\(file): '\(parent)' is both the parent and a child of this site"))
            }
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
}
