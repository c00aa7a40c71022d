// SPDX-License-Identifier: Apache-2.0

import CascadeService
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

    private static let byteCountMax = 1 << 20

    /// Returns the text of a file; `nil` if it does not exist. Throws ``Stop`` if it cannot be read, or if it
    /// has more than 1 MiB.
    static func text(of file: String) throws(Stop) -> String? {
        do throws(TextFileError) {
            let bytes = try TextFile.readBytes(file, byteCountMax: byteCountMax)
            return String(decoding: bytes, as: UTF8.self)
        } catch {
            guard error.errorNumber != ENOENT else {
                return nil
            }
            throw Stop(reading: file, error)
        }
    }

    /// Reads a descriptor to its end. Throws ``Stop`` if that fails, or if it has more than 1 MiB.
    static func bytes(of descriptor: Int32, _ name: String) throws(Stop) -> [UInt8] {
        do throws(TextFileError) {
            return try TextFile.readBytes(descriptor, byteCountMax: byteCountMax)
        } catch {
            throw Stop(reading: name, error)
        }
    }
}

extension Stop {
    fileprivate init(reading name: String, _ error: TextFileError) {
        self =
            error.errorNumber.map { Stop.file(name, "read", $0) }
            ?? Stop(.badData, "cannot read '\(name)': \(error.reason)")
    }
}
