// SPDX-License-Identifier: Apache-2.0

import Cascade
import Glibc

/// A check of the bus's socket without a session.
struct SocketExamination {
    let endpoint: String
    /// The reason for the choice of this endpoint.
    let choice: String

    init(_ options: BusOptions) {
        endpoint = options.endpoint
        choice =
            if options.bus != nil {
                "as --bus says"
            } else if getenv("CASCADE_BUS").map({ $0.pointee != 0 }) ?? false {
                "as CASCADE_BUS says"
            } else if endpoint.hasPrefix("ipc:///run/cascade/") {
                "the system's, since no --bus, no CASCADE_BUS and no user's bus is there"
            } else {
                "the user's own bus"
            }
    }

    /// The socket's path; `nil` for other kinds of endpoints.
    var path: String? {
        endpoint.hasPrefix("ipc://") ? String(endpoint.dropFirst("ipc://".count)) : nil
    }

    func diagnoses() -> [Diagnosis] {
        let endpoint = Diagnosis("endpoint", .good, "\(endpoint), \(choice)")
        guard let path else {
            return [endpoint]
        }
        return [endpoint, permissions(path), listeners(path)]
    }

    private func permissions(_ path: String) -> Diagnosis {
        var status = stat()
        guard stat(path, &status) == 0 else {
            let reason = ErrorNumber(errno)
            guard errno != EACCES else {
                return Diagnosis(
                    "socket", .bad,
                    "\(path): you may not search its directory; ask the bus's administrator, or "
                        + "use a bus of your own: cascaded --user")
            }
            return Diagnosis(
                "socket", .bad,
                "\(path): \(reason); start a bus there: cascaded --listen \(endpoint)")
        }
        guard status.st_mode & S_IFMT == S_IFSOCK else {
            return Diagnosis("socket", .bad, "\(path) is not a socket; choose another path")
        }
        let mode = status.st_mode & 0o777
        let user = UserName.of(status.st_uid) ?? String(status.st_uid)
        let group = GroupName.of(status.st_gid) ?? String(status.st_gid)
        let facts = "of user \(user) and group \(group), mode 0\(String(mode, radix: 8))"
        guard access(path, R_OK | W_OK) == 0 else {
            return Diagnosis(
                "socket", .bad, "\(facts): you may not open it; \(Self.advice(status, group))")
        }
        return mode & 0o002 == 0
            ? Diagnosis("socket", .good, facts)
            : Diagnosis("socket", .doubtful, "\(facts): every user of this machine may use the bus")
    }

    /// The groups whose members are root or can easily become root. The doctor does not advise to
    /// join them.
    private static let administeringGroups: Set = [
        "root", "wheel", "sudo", "admin", "adm", "disk", "kmem", "shadow", "docker", "lxd",
    ]

    /// Returns advice for a user who may not open the socket.
    private static func advice(_ status: stat, _ group: String) -> String {
        let own = "or use a bus of your own: cascaded --user"
        guard status.st_mode & 0o060 == 0o060 else {
            return "only its user may; ask for a mode of 0660 and a group of the bus's users "
                + "(SocketMode= and SocketGroup= of cascaded.socket), \(own)"
        }
        guard status.st_gid != 0, !administeringGroups.contains(group) else {
            return "do not join the group \(group), whose members administer the machine; ask for "
                + "a group of the bus's users (SocketGroup=cascade in cascaded.socket), \(own)"
        }
        return "ask to be added to that group, and log in again"
    }

    /// Counts the listeners. A socket that is bound over another one leaves that one listening
    /// without clients.
    private func listeners(_ path: String) -> Diagnosis {
        guard let sockets = ListeningSockets() else {
            return Diagnosis("listeners", .unknown, "/proc/net/unix cannot be read")
        }
        let count = sockets.count(at: path)
        return switch count {
        case 0:
            Diagnosis(
                "listeners", .bad,
                "no process listens at \(path); a daemon started there takes over the file")
        case 1: Diagnosis("listeners", .good, "one socket listens there")
        default:
            Diagnosis(
                "listeners", .bad,
                "\(count) sockets listen at this path, and only the newest can be reached; "
                    + "find the others with 'ss -xlp' and stop their processes")
        }
    }
}

/// The names of groups.
enum GroupName {
    /// Returns the name of a group; `nil` if it is unknown.
    static func of(_ groupID: UInt32) -> String? {
        var entry = group()
        var found: UnsafeMutablePointer<group>?
        var room = [CChar](repeating: 0, count: 16_384)
        return room.withUnsafeMutableBufferPointer { room in
            guard let start = room.baseAddress,
                getgrgid_r(groupID, &entry, start, room.count, &found) == 0, found != nil,
                let name = entry.gr_name
            else {
                return nil
            }
            return String(cString: name)
        }
    }
}
