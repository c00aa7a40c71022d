// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The folder with the configuration of a site, and the names of the files in it.
struct SetupFolder: Equatable {
    /// The configuration of the site, as an absolute path.
    let configuration: String

    /// Takes the path of the configuration; the other files are beside it.
    init(configuration: String) {
        let folder = getcwd(nil, 0)
        defer { free(folder) }
        let current = folder.map { String(cString: $0) } ?? "/"
        self.configuration =
            configuration.hasPrefix("/") ? configuration : "\(current)/\(configuration)"
    }

    var path: String {
        configuration.lastIndex(of: "/").map { String(configuration[..<$0]) } ?? "/"
    }

    /// The secret key with which the site dials its parent.
    var parentKey: String { "\(path)/site.nk" }
    /// The certificate that the site trusts in its parent's server.
    var parentTrust: String { "\(path)/site-parent.pem" }

    /// The secret key of the site's gate, for its own server.
    var gateKey: String { "\(path)/site-gate.nk" }
    /// The certificate of the site's own server, which its children trust.
    var certificate: String { "\(path)/site-server.pem" }
    /// The secret key of ``certificate``.
    var certificateKey: String { "\(path)/site-server.key" }
    /// The configuration of the site's own server.
    var server: String { "\(path)/\(Self.serverName)" }
    static let serverName = "site-server.conf"
    /// The users of the site's own server, which ``server`` includes.
    var users: String { "\(path)/site-users.conf" }
    /// What the site's bus allows the keys of its children.
    var policy: String { "\(path)/policy.d/site-children.policy" }

    /// Whether this is the configuration of the system's services.
    var isStandard: Bool { configuration == SiteConfiguration.standardFile }

    /// Runs `body` while no other command changes the folder. Throws ``Stop`` if the folder cannot be locked.
    func locked<Result>(_ body: () throws -> Result) throws -> Result {
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw Stop.file(path, "open the folder", errno)
        }
        defer { close(descriptor) }
        guard flock(descriptor, LOCK_EX) == 0 else {
            throw Stop.file(path, "lock the folder", errno)
        }
        return try body()
    }

    /// Returns the text of a file; `nil` if it does not exist. Throws ``Stop`` if it cannot be read.
    static func text(of file: String) throws(Stop) -> String? {
        let descriptor = open(file, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            guard errno != ENOENT else {
                return nil
            }
            throw Stop.file(file, "read", errno)
        }
        defer { close(descriptor) }
        return String(decoding: try bytes(of: descriptor, file), as: UTF8.self)
    }

    /// Reads a descriptor to its end. Throws ``Stop`` if that fails, or if it has more than 1 MiB.
    static func bytes(of descriptor: Int32, _ name: String) throws(Stop) -> [UInt8] {
        let limit = 1 << 20
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            guard count != 0 else {
                return bytes
            }
            guard count > 0 else {
                guard errno != EINTR else {
                    continue
                }
                throw Stop.file(name, "read", errno)
            }
            bytes += buffer.prefix(count)
            guard bytes.count <= limit else {
                throw Stop(.badData, "'\(name)' has more than \(limit) bytes")
            }
        }
    }
}
