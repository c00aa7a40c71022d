// SPDX-License-Identifier: Apache-2.0

/// The systemd units of a process, according to its control group (cgroups(7), systemd.unit(5)).
///
/// systemd places a unit below its slices. The control groups below the unit belong to the unit: a
/// user's systemd can give them any name. So the system's unit is the first component that is not a
/// slice.
struct ControlGroup: Equatable {
    /// The unit of the system's systemd.
    let unit: String?
    /// The unit of a user's systemd, if ``unit`` is that systemd.
    let userUnit: String?

    private static let suffixes = [".service", ".scope", ".socket", ".mount", ".swap"]

    /// Parses the contents of `/proc/PID/cgroup`.
    init(_ text: some StringProtocol) {
        let components = Self.path(in: text)
        unit = Self.unit(of: components)
        guard let unit, unit.hasPrefix("user@"), unit.hasSuffix(".service"),
            let place = components.firstIndex(of: unit)
        else {
            userUnit = nil
            return
        }
        userUnit = Self.unit(of: Array(components[(place + 1)...]))
    }

    /// The path in the hierarchy that systemd maintains: the only one, or the one named
    /// `name=systemd`.
    private static func path(in text: some StringProtocol) -> [String] {
        let paths = text.split(separator: "\n").compactMap { line -> (name: Substring, String)? in
            let parts = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
            return parts.count == 3 ? (Substring(parts[1]), String(parts[2])) : nil
        }
        let path =
            paths.first { $0.name == "name=systemd" && $0.1 != "/" }
            ?? paths.first { $0.name == "" }
        return (path?.1 ?? "").split(separator: "/").map { component in
            // systemd prefixes an underscore to names that would conflict with the kernel's files.
            component.hasPrefix("_") ? String(component.dropFirst()) : String(component)
        }
    }

    private static func unit(of components: [String]) -> String? {
        let first = components.first { !$0.hasSuffix(".slice") }
        return first.flatMap { name in
            suffixes.contains { name.hasSuffix($0) } ? name : nil
        }
    }
}
