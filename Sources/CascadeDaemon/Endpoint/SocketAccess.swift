// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Which users can open the bus's sockets, according to file modes.
enum SocketAccess {
    /// Whether users other than the daemon's own and root can open one of these endpoints.
    ///
    /// Connecting requires permission to write to the socket and to search every folder above it
    /// (unix(7), path_resolution(7)). If an access control list allows more, the group's bits show
    /// it. An endpoint whose modes cannot be read counts as shared.
    static func isShared(_ endpoints: [String]) -> Bool {
        !endpoints.allSatisfy { isPrivate($0) }
    }

    private static func isPrivate(_ endpoint: String) -> Bool {
        let prefix = "ipc://"
        guard endpoint.hasPrefix(prefix) else {
            return false
        }
        let path = String(endpoint.dropFirst(prefix.count))
        // A name in the abstract namespace has no mode.
        guard !path.hasPrefix("@"), let resolved = realpath(path, nil) else {
            return false
        }
        defer { free(resolved) }
        var place = String(cString: resolved)
        let socket = status(place)
        if let socket, isOwn(socket), socket.st_mode & (S_IWGRP | S_IWOTH) == 0 {
            return true
        }
        while let slash = place.lastIndex(of: "/"), slash > place.startIndex {
            place = String(place[..<slash])
            let folder = status(place)
            if let folder, isOwn(folder), folder.st_mode & (S_IXGRP | S_IXOTH) == 0 {
                return true
            }
        }
        return false
    }

    /// Whether only the daemon's user and root can change the mode.
    private static func isOwn(_ status: stat) -> Bool {
        status.st_uid == geteuid() || status.st_uid == 0
    }

    private static func status(_ path: String) -> stat? {
        var status = stat()
        return stat(path, &status) == 0 ? status : nil
    }
}
