// SPDX-License-Identifier: Apache-2.0

/// What a process's control group says of it (cgroups(7), systemd.unit(5)).
///
/// systemd puts a unit below its slices. What lies below the unit is the unit's own matter: a
/// user's systemd can call what it starts there whatever the user likes. So the unit of the system
/// is the first component that is no slice.
struct ControlGroup: Equatable {
    /// The unit of the system's systemd.
    let unit: String?
    /// The unit of a user's own systemd, where ``unit`` is that.
    let userUnit: String?

    private static let suffixes = [".service", ".scope", ".socket", ".mount", ".swap"]

    /// Reads what `/proc/PID/cgroup` holds.
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

    /// The path in the hierarchy that systemd keeps: the only one, or the one of that name.
    private static func path(in text: some StringProtocol) -> [String] {
        let paths = text.split(separator: "\n").compactMap { line -> (name: Substring, String)? in
            let parts = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
            return parts.count == 3 ? (Substring(parts[1]), String(parts[2])) : nil
        }
        let path =
            paths.first { $0.name == "name=systemd" && $0.1 != "/" }
            ?? paths.first { $0.name == "" }
        return (path?.1 ?? "").split(separator: "/").map { component in
            // systemd puts an underscore before what the kernel would take for something else.
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
