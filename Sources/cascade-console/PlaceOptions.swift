// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CascadeConsole
import Glibc

/// The options of where the console listens, and how browsers reach it.
struct PlaceOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            127.0.0.1:PORT, with 0 for a free port, or unix:PATH; may be repeated. Sockets of the \
            service manager come in its place. (default: 127.0.0.1:0)
            """, valueName: "address"))
    var listen: [String] = []

    @Option(
        help: ArgumentHelp(
            """
            User of a proxy, which connects to a Unix socket and does encryption and authentication. \
            The person whom it names in X-Remote-User is written beside each action.
            """, valueName: "user"))
    var behindProxy: String?

    @Option(help: ArgumentHelp("Path below which a proxy serves the page.", valueName: "path"))
    var base: String = ""

    @Option(
        help: ArgumentHelp(
            "Further name by which browsers reach the console; may be repeated.", valueName: "name")
    )
    var host: [String] = []

    func validate() throws {
        for text in listen where ListenAddress(text) == nil {
            throw ValidationError(
                "'\(text)' is not 127.0.0.1:PORT or unix:PATH: the console listens on this machine only"
            )
        }
        if let behindProxy {
            guard ConsoleOptions.userID(of: behindProxy) != nil else {
                throw ValidationError("there is no user '\(behindProxy)'")
            }
            guard !listen.isEmpty || getenv("LISTEN_FDS") != nil,
                listen.allSatisfy({ $0.hasPrefix("unix:") })
            else {
                throw ValidationError("behind a proxy the console listens on a Unix socket only")
            }
        }
        guard
            base.isEmpty
                || (base.hasPrefix("/") && !base.hasSuffix("/") && base.allSatisfy(Self.isPlain))
        else {
            throw ValidationError("'\(base)' is not a path such as /console")
        }
    }

    private static func isPlain(_ character: Character) -> Bool {
        character.isASCII
            && (character.isLetter || character.isNumber || "/-_.".contains(character))
    }

    /// Writes the options into those of a console.
    func set(_ options: inout ConsoleOptions) {
        if !listen.isEmpty {
            options.addresses = listen.compactMap { ListenAddress($0) }
        }
        options.hosts = Set(host.map { $0.lowercased() })
        options.base = base
        options.proxyUserID = behindProxy.flatMap { ConsoleOptions.userID(of: $0) }
    }
}
