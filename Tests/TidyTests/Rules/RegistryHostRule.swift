// SPDX-License-Identifier: Apache-2.0

/// Refuses links to package registries and mirrors: which one to ask is the machine's business.
struct RegistryHostRule {
    private static let labels: Set = [
        "artifactory", "cache", "crates", "index", "mirror", "mirrors", "nexus", "npmjs",
        "packages", "proxy", "pypi", "registry",
    ]

    func findings(in file: TextFile) -> [Finding] {
        file.lines.enumerated().flatMap { index, line in
            Self.hosts(in: line).filter(Self.isRegistry).map { host in
                Finding(file.path, line: index + 1, "'\(host)' is a registry; link the project")
            }
        }
    }

    /// The hosts of the links in a line.
    private static func hosts(in line: Substring) -> [Substring] {
        line.ranges(of: "://").map { separator in
            line[separator.upperBound...].prefix { $0.isLetter || $0.isNumber || "-.".contains($0) }
        }
    }

    private static func isRegistry(_ host: Substring) -> Bool {
        host.split { $0 == "." || $0 == "-" }.contains { labels.contains($0.lowercased()) }
    }
}
