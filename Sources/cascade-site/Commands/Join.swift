// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CascadeSite
import CascadeWire
import Glibc

/// Puts this site below a parent.
struct Join: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Put this site below the parent that has written an invitation.",
        discussion: """
            Writes the parent, the key and the trusted certificate, and enables cascade-site.service. Nothing is \
            written if the invitation is not complete, has expired, or is for another site.

            Example: cascade-site join ulm.invitation
            """)

    @OptionGroup var options: ConfigurationOptions

    @Argument(help: "File with the invitation; '-' reads standard input.", completion: .file())
    var file: String

    @Flag(help: "Give up the parent that this site has.")
    var replace = false

    func run() throws {
        let text = try text()
        let invitation: Invitation
        do throws(InvitationError) {
            invitation = try Invitation(parsing: text)
        } catch {
            throw Stop(.badData, "cannot join by \(source): \(error)")
        }
        let folder = options.folder
        try SiteSetup(folder: folder).join(invitation, replacing: replace, now: .now)
        try Services(folder: folder).enable([Services.site])
        print(
            """
            The site '\(invitation.site)' stands below '\(invitation.parent)', at \(invitation.mount).
            'cascade-site check' says whether the link works.
            """)
        if file != "-", invitation.key != nil {
            print("Remove '\(file)': it contains the key of this site.")
        }
    }

    private var source: String {
        file == "-" ? "standard input" : "'\(file)'"
    }

    private func text() throws -> String {
        if file == "-" {
            let bytes = try SetupFolder.bytes(of: STDIN_FILENO, "standard input")
            return String(decoding: bytes, as: UTF8.self)
        }
        guard let text = try SetupFolder.text(of: file) else {
            throw Stop.file(file, "read", ENOENT)
        }
        return text
    }
}

/// Prints the public key of this site.
struct Key: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print the public key of this site, for 'add --key' at its parent.",
        discussion: """
            The key is created first if this site has none. Its secret part stays on this machine.
            """)

    @OptionGroup var options: ConfigurationOptions

    func run() throws {
        print(try SiteSetup(folder: options.folder).ownPublicKey())
    }
}

/// Prints the permissions of a site for a NATS server that cascade-site does not configure.
struct Permissions: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print the subjects of a site below this one, for a NATS server of your own.",
        discussion: """
            A link needs no other subject, no inbox and no JetStream. For a site that is not admitted yet, a \
            line on standard error says so.
            """)

    @OptionGroup var options: ConfigurationOptions

    @Argument(help: "Name of the site.", transform: ArgumentValue.name)
    var name: SiteName

    func run() throws {
        let (text, advice) = try SiteSetup(folder: options.folder).permissions(of: name)
        print(text, terminator: "")
        if let advice {
            StandardError.write(advice)
        }
    }
}

extension ConfigurationOptions {
    /// The folder with the configuration.
    var folder: SetupFolder {
        SetupFolder(configuration: config)
    }
}
