// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Cascade
import Glibc

/// The options that select a bus.
struct BusOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            Endpoint of the bus, in ZeroMQ's notation; otherwise CASCADE_BUS, the user's bus if \
            there is one, or the system's bus.
            """, valueName: "endpoint"))
    var bus: String?

    // A key may begin with a hyphen, which is in the alphabet of Z85.
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Public key of a bus on another machine; otherwise CASCADE_SERVER_KEY.",
            valueName: "key"))
    var serverKey: String?

    @Option(
        help: ArgumentHelp(
            """
            File of 'keygen' with the key pair for a bus on another machine; otherwise \
            CASCADE_KEY_FILE.
            """, valueName: "file"))
    var keyFile: String?

    /// Returns the keys for a bus on another machine; `nil` if no option names one. Throws
    /// ``Stop`` if one of the two keys is missing.
    func keys() throws -> BusKeys? {
        guard serverKey != nil || keyFile != nil else {
            return nil
        }
        let key = serverKey ?? getenv("CASCADE_SERVER_KEY").map { String(cString: $0) }
        let file = keyFile ?? getenv("CASCADE_KEY_FILE").map { String(cString: $0) }
        guard let key, let file else {
            throw Stop(.usage, "--server-key and --key-file require each other")
        }
        return try BusKeys(serverKey: key, file: file)
    }

    var endpoint: String {
        bus ?? BusEndpoint.standard
    }
}

/// The option that selects the site to inspect.
struct SiteOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Site to ask instead of the bus, by its name or its place as 'sites' prints them.",
            valueName: "site"),
        completion: .sites)
    var site: String?
}

// MARK: - Inspection

/// The options of inspections that a dump can answer.
struct InspectionOptions: ParsableArguments {
    @OptionGroup var bus: BusOptions
    @OptionGroup var asked: SiteOptions
    @OptionGroup var output: OutputOptions

    @Flag(help: "Answer after each change, until interrupted; on a terminal 'q' ends it.")
    var watch = false

    @Option(
        help: ArgumentHelp("File of 'dump' to read instead of a live bus.", valueName: "file"),
        completion: .file())
    var dump: String?

    func validate() throws {
        guard dump == nil || !watch else {
            throw ValidationError("--watch and --dump exclude each other: a dump does not change")
        }
        guard dump == nil || asked.site == nil else {
            throw ValidationError("--site and --dump exclude each other: a dump is of one bus")
        }
    }
}

/// The options of inspections that only a live bus can answer.
struct WatchOptions: ParsableArguments {
    @OptionGroup var bus: BusOptions
    @OptionGroup var asked: SiteOptions
    @OptionGroup var output: OutputOptions

    @Flag(help: "Answer after each change, until interrupted; on a terminal 'q' ends it.")
    var watch = false

    /// Throws a usage error if a question over all sites is combined with an option for one.
    func expectOnce(forSites sites: Bool) throws {
        guard !sites || (!watch && asked.site == nil) else {
            throw ValidationError(
                "--sites and \(watch ? "--watch" : "--site") exclude each other")
        }
    }
}
