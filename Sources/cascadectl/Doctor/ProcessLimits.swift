// SPDX-License-Identifier: Apache-2.0

/// The limits of a process, as the kernel writes them.
///
/// Source: proc_pid_limits(5).
struct ProcessLimits {
    /// How many descriptors it may have; `Int.max` without a limit, `nil` if it is not said.
    let openFiles: Int?

    init(text: String) {
        let name = "Max open files"
        openFiles = text.split(separator: "\n").first { $0.hasPrefix(name) }.flatMap { line in
            line.dropFirst(name.count).split(separator: " ").first.flatMap { soft in
                soft == "unlimited" ? Int.max : Int(soft)
            }
        }
    }
}
