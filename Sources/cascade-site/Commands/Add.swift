// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CascadeSite
import CascadeWire
import Glibc
import NATS

/// Admits a site below this one.
struct Add: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Admit a site below this one, and write its invitation.",
        discussion: """
            The invitation is written to the file NAME.invitation (mode 0600), or to standard output unless that \
            is a terminal. It contains a new secret key for the site; with '--key' it contains no secret.

            Example: cascade-site add ulm /shop/ulm | ssh ulm cascade-site join -
            """)

    @OptionGroup var options: ConfigurationOptions

    @Argument(help: "Name of the site, unique in the realm.", transform: ArgumentValue.name)
    var name: SiteName

    @Argument(
        help: "Mount of the site: the path on this site's bus at which it stands.",
        transform: ArgumentValue.path)
    var path: NodePath

    @Option(
        help: ArgumentHelp(
            "Public key of the site, printed by 'cascade-site key' there.", valueName: "public"))
    var key: String?

    @Option(
        help: ArgumentHelp(
            "Days for which the invitation is valid, 1 to 3650.", valueName: "days"))
    var days = 7

    func validate() throws {
        guard (1...3_650).contains(days) else {
            throw ValidationError("'--days' is a number from 1 to 3650")
        }
    }

    func run() throws {
        let folder = options.folder
        let setup = SiteSetup(folder: folder)
        let file = isatty(STDOUT_FILENO) == 1 ? "\(name).invitation" : nil
        if let file, access(file, F_OK) == 0 {
            throw Stop(.denied, "'\(file)' exists already; remove it, or run the command elsewhere")
        }
        let expiry = Timestamp.now.advanced(byDays: days)
        let invitation = try setup.add(name, at: path, publicKey: key, expiry: expiry) {
            invitation, changes in
            if let file {
                changes.writeSecret(file, invitation.text)
            } else {
                try StandardOutput.writeAll(invitation.text)
            }
        }
        if let file {
            StandardError.write(
                """
                The site '\(name)' may stand at \(path). Its invitation is in '\(file)', until \(expiry).
                Move the file to '\(name)' safely, and run there: cascade-site join \(file)
                """)
        } else {
            StandardError.write(
                "The site '\(name)' may stand at \(path), until \(expiry) with this invitation.")
        }
        if access(folder.users, F_OK) != 0 {
            StandardError.write(
                """
                The server is not configured by cascade-site: give the key \(invitation.publicKey) \
                the permissions that 'cascade-site permissions \(name)' prints.
                """)
        }
        try Services(folder: folder).reload()
    }
}

/// Ends the admission of a site.
struct Remove: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "End the admission of a site below this one.",
        discussion: """
            Its key, its permissions and its policy are removed, and its link ends at once. Its bus stays as it \
            is, with nothing above it.
            """)

    @OptionGroup var options: ConfigurationOptions

    @Argument(help: "Name of the site.", transform: ArgumentValue.name)
    var name: SiteName

    func run() throws {
        let folder = options.folder
        try SiteSetup(folder: folder).remove(name)
        try Services(folder: folder).reload()
        print("The site '\(name)' is no longer admitted.")
    }
}
