// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CLinux
import Glibc

/// The command line of a site.
@main
struct CascadeSiteProgram: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cascade-site",
        abstract: "Joins a Cascade bus to a bus above it, and admits sites below it.",
        discussion: """
            Without a subcommand it runs the site. SIGTERM and SIGINT end it: the mount is left, and \
            the links are closed. SIGHUP reads the configuration again.
            """,
        version: Release.name,
        subcommands: [Run.self],
        groupedSubcommands: [
            CommandGroup(
                name: "Setting up",
                subcommands: [
                    Init.self, Add.self, Remove.self, Join.self, Key.self, Permissions.self,
                ]),
            CommandGroup(name: "Trying out", subcommands: [Check.self, Demo.self]),
        ],
        defaultSubcommand: Run.self)

    /// Runs the command in the arguments, and exits with its documented status.
    static func main() {
        cascade_prepare_standard_descriptors()
        do {
            var command = try parseAsRoot()
            try command.run()
        } catch let stop as Stop {
            StandardError.write("cascade-site: \(stop)")
            Glibc.exit(stop.status.rawValue)
        } catch {
            exit(withError: error)
        }
    }
}

/// The release of the program.
enum Release {
    static let name = "cascade-site 0.1.0"
}

/// The option of all commands that read the configuration.
struct ConfigurationOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Configuration file.", valueName: "file"))
    var config = SiteConfiguration.standardFile

    /// Reads the configuration. If it has faults, prints them all and exits with `EX_CONFIG`.
    func read() throws -> SiteConfiguration {
        do throws(SiteConfigurationError) {
            return try SiteConfiguration(file: config)
        } catch {
            for fault in error.faults {
                StandardError.write("\(fault)")
            }
            if access(config, F_OK) != 0, errno == ENOENT {
                StandardError.write(
                    "This site is not set up: 'cascade-site init NAME --address HOST' lets sites stand below it, "
                        + "'cascade-site join FILE' lets it stand below another one, and 'cascade-site demo' "
                        + "shows both.")
            }
            throw ExitCode(EX_CONFIG)
        }
    }
}
