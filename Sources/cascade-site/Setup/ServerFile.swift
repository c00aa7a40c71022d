// SPDX-License-Identifier: Apache-2.0

import CascadeSite
import NATS

/// The configuration of a site's own nats-server, `site-server.conf`.
///
/// `init` writes it once; the administrator may change it. The users are in a file of their own, which
/// `add` and `remove` replace.
struct ServerFile {
    /// The folder of the files that the server reads.
    var folder: SetupFolder
    var port: UInt16
    /// The interface on which the server listens.
    var interface = "0.0.0.0"

    var text: String {
        """
        # The NATS server for the sites below this one. 'cascade-site init' has written this file, and does
        # not replace it; cascade-nats.service reads it at its start and at a reload.

        listen: "\(ServerAddress(host: interface, port: port))"

        tls {
          cert_file: "\(folder.certificate)"
          key_file: "\(folder.certificateKey)"
        }

        # Only the keys of this site and of its children get in, each with its own subjects.
        authorization {
          include "site-users.conf"
        }

        # A child that is gone is noticed after 6 s at the latest.
        ping_interval: "2s"
        ping_max: 2

        # cascade-site is told the limits of the server: a smaller payload is a smaller message.
        max_payload: 1MB
        max_pending: 64MB

        """
    }
}

/// The users of a site's own nats-server, `site-users.conf`: the site's gate, and one for each child,
/// with exactly the subjects of its link.
struct ServerUsers: Equatable {
    let subjects: LinkSubjects
    /// The public key of the gate.
    let gate: String
    /// The public keys of the children.
    var children: [SiteName: String]

    init(subjects: LinkSubjects, gate: String, children: [SiteName: String] = [:]) {
        self.subjects = subjects
        self.gate = gate
        self.children = children
    }

    // MARK: - Writing

    var text: String {
        """
        # The keys that the server lets in. 'cascade-site add' and 'cascade-site remove' replace this file.
        users: [
        \(Self.line(gate, publish: subjects.downPattern, subscribe: subjects.upPattern, Self.gateName))
        \(children.sorted { $0.key.description < $1.key.description }.map { line(of: $0.key, $0.value) }
            .joined())]

        """
    }

    private func line(of child: SiteName, _ key: String) -> String {
        Self.line(
            key, publish: subjects.upPattern(of: child), subscribe: subjects.downPattern(of: child),
            "child \(child)") + "\n"
    }

    private static let gateName = "gate"

    private static func line(
        _ key: String, publish: String, subscribe: String, _ name: String
    ) -> String {
        "  { nkey: \"\(key)\", permissions: { publish: [\"\(publish)\"], subscribe: [\"\(subscribe)\"] } }"
            + " # \(name)"
    }

    // MARK: - Reading

    /// Reads the keys from a file that ``text`` wrote. Throws ``Stop``, which names `file`, if the file
    /// was changed.
    init(parsing text: String, subjects: LinkSubjects, file: String) throws(Stop) {
        var gate = ""
        var children: [SiteName: String] = [:]
        for line in text.split(separator: "\n") {
            let parts = line.split(separator: "\"")
            let words = line.split(separator: " ").suffix(2)
            guard parts.count > 2 else {
                continue
            }
            if words.last == Self.gateName[...], words.first == "#" {
                gate = String(parts[1])
            } else if words.first == "child", let name = words.last.flatMap(Self.name) {
                children[name] = String(parts[1])
            }
        }
        self.init(subjects: subjects, gate: gate, children: children)
        // Whatever else the file has is not in the text of these keys.
        guard self.text == text else {
            throw Stop(
                .configuration,
                "'\(file)' is not as cascade-site wrote it, so it is not replaced; take the changes back, "
                    + "or put settings of your own into '\(SetupFolder.serverName)'")
        }
    }

    private static func name(_ text: Substring) -> SiteName? {
        try? SiteName(text)
    }
}
