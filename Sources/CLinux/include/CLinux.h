// SPDX-License-Identifier: Apache-2.0

// The Linux system calls that Swift's Glibc module lacks, and those whose C structures and macros
// Swift cannot write.
//
// Every call returns the result of the system, with errno unchanged; Swift interprets them. The
// header declares no structure of glibc and includes none, so that Swift finds those in Glibc only.

#ifndef CLINUX_H
#define CLINUX_H

#include <stddef.h>
#include <stdint.h>

// MARK: - eventfd: a counter that another thread can poll

// Creates a counter that is closed on exec and never blocks.
int cascade_eventfd_create(void);

// Makes the descriptor readable. Fails only if the counter is full, which leaves it readable.
int cascade_eventfd_write(int fd);

// Makes the descriptor unreadable again. Returns 0 if it was readable.
int cascade_eventfd_read(int fd);

// MARK: - Threads and memory

// Names the calling thread by the first 15 bytes.
int cascade_name_thread(const char *name);

// Returns the free memory of all arenas to the system; by itself glibc keeps all but the top of each.
int cascade_trim_memory(void);

// Returns how many bytes of the heap are in use, in all arenas.
size_t cascade_allocated_byte_count(void);

// MARK: - pidfd: a process that another thread can poll for its exit

// glibc before 2.36 has no wrapper.
int cascade_pidfd_open(int32_t pid);

// MARK: - epoll

// A ready descriptor: the caller's token, and the events that epoll reports (EPOLLIN and so on).
struct cascade_epoll_ready {
    uint64_t token;
    uint32_t events;
};

extern const uint32_t cascade_epoll_in;
extern const uint32_t cascade_epoll_out;

// The connection has ended or failed; reported whether it was asked for or not.
extern const uint32_t cascade_epoll_end;

int cascade_epoll_create(void);
int cascade_epoll_add(int epoll, int fd, uint32_t events, uint64_t token);
int cascade_epoll_modify(int epoll, int fd, uint32_t events, uint64_t token);
int cascade_epoll_remove(int epoll, int fd);

// Fills at most 64 entries. The kernel's own structure is packed, so it is copied.
int cascade_epoll_wait(
    int epoll, struct cascade_epoll_ready *ready, int capacity, int timeout_milliseconds);

// MARK: - The peer of a unix socket, as the kernel recorded it at connect(2)

int cascade_peer_credentials(int fd, uint32_t *uid, uint32_t *gid, int32_t *pid);

// The supplementary groups of the peer (socket(7), SO_PEERGROUPS). Returns their number; if it exceeds
// the room, nothing is written.
long cascade_peer_groups(int fd, uint32_t *groups, uint32_t room);

// Returns a descriptor for the process that connected, whichever process has its number now
// (Linux 6.5), or -1.
int cascade_peer_pidfd(int fd);

// MARK: - Addresses of unix sockets

// The most bytes of a path (unix(7)). In every path that these calls take, '@' begins an abstract name.
enum { cascade_unix_path_max = 107 };

// Creates a stream socket that is closed on exec. One that never blocks fails with EAGAIN instead.
int cascade_unix_stream(int never_blocks);

// Accepts a connection, as a descriptor that is closed on exec and never blocks.
int cascade_accept(int fd);

int cascade_unix_bind(int fd, const char *path);
int cascade_unix_connect(int fd, const char *path);

// The path of a listening stream socket, terminated by 0. Returns its length, or 0 if the descriptor
// is something else or the socket has no path.
int cascade_listening_path(int fd, char *path, size_t capacity);

// MARK: - Files

// Exchanges the files at two paths in one step (rename(2), RENAME_EXCHANGE).
int cascade_exchange(const char *path, const char *other);

// MARK: - Datagrams, with a descriptor

int cascade_datagram_socket(void);

// Sends bytes, and a descriptor unless it is negative, to the socket at a path, or with NULL to the
// socket that this one is connected to. Returns -1 with EAGAIN instead of waiting if told not to wait.
long cascade_datagram_send(
    int fd, const char *path, const void *bytes, size_t count, int descriptor, int without_waiting);

// Receives a datagram, and the descriptor that it carries, or -1.
long cascade_datagram_receive(int fd, void *bytes, size_t count, int *descriptor);

// MARK: - Files in memory

// Creates an empty file in memory; one that allows it can be sealed.
int cascade_memfd_create(const char *name, int allows_sealing);

// Seals the file: neither its bytes nor its size can change from then on.
int cascade_memfd_seal(int fd);

// Releases the pages of a range; the size of the file stays.
int cascade_punch_hole(int fd, int64_t offset, int64_t length);

#endif
