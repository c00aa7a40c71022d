// SPDX-License-Identifier: Apache-2.0

import Glibc

/// One connection of the listener: the descriptor of its socket, and its inode, which distinguishes
/// it from earlier and later sockets with the same descriptor.
///
/// libzmq opens and closes these descriptors on its own thread, so that a descriptor alone may
/// belong to another connection by the time it is read.
struct ConnectionID: Hashable {
    let descriptor: Int32
    let inode: UInt64

    init(descriptor: Int32, inode: UInt64) {
        self.descriptor = descriptor
        self.inode = inode
    }

    /// The connection that has the descriptor now; `nil` if the descriptor is closed.
    init?(descriptor: Int32) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            return nil
        }
        self.init(descriptor: descriptor, inode: UInt64(status.st_ino))
    }

    /// Closes the connection unless it has ended. libzmq has no call to close one connection of a
    /// socket, but notices shutdown(2).
    func shutDown() {
        if ConnectionID(descriptor: descriptor) == self {
            shutdown(descriptor, Int32(SHUT_RDWR))
        }
    }
}
