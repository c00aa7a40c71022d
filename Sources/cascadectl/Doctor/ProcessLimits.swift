// SPDX-License-Identifier: Apache-2.0

/// The limits of a process.
///
/// Source: proc_pid_limits(5).
struct ProcessLimits {
    /// The soft limit of open descriptors; `Int.max` without a limit, `nil` if it is missing.
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
