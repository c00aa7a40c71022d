// SPDX-License-Identifier: Apache-2.0

// Linux system calls that Swift's Glibc module does not have, or whose C structures and macros Swift
// cannot import.
//
// A function with a result returns that of the system call, with errno unchanged. The header declares no
// structures of glibc and includes none, so that Swift finds them only in Glibc.

#ifndef CLINUX_H
#define CLINUX_H

#include <stddef.h>
#include <stdint.h>

// MARK: - Standard descriptors

// Opens /dev/null for each standard descriptor that is closed. Otherwise the next file or socket that the
// process opens would be its standard output or standard error. Reading from such a standard input is an
// error, as is writing to such a standard output; what is written to such a standard error is dropped.
//
// Also lets exit(3) write what is left of the stream stdout, and end the process with a message and the
// status 1 if any of it could not be written. A reader that has ended, EPIPE, needs no message.
//
// A program calls it first of all.
void cascade_prepare_standard_descriptors(void);

// MARK: - eventfd, a counter that another thread can poll

// Creates a non-blocking counter with the close-on-exec flag.
int cascade_eventfd_create(void);

// Makes the descriptor readable. Fails only if the counter is full, and therefore readable.
int cascade_eventfd_write(int fd);

// Resets the counter, so that the descriptor is not readable. Returns 0 if it was readable.
int cascade_eventfd_read(int fd);

// MARK: - Threads and memory

// Sets the name of the calling thread to the first 15 bytes of `name`.
int cascade_name_thread(const char *name);

// Returns the free memory of all arenas to the system (malloc_trim(3)).
int cascade_trim_memory(void);

// Returns the number of used bytes of the heap, in all arenas.
size_t cascade_allocated_byte_count(void);

// MARK: - Processors

// Returns the number of processors that the calling thread may use (sched_getaffinity(2)), or -1.
int cascade_processor_count(void);

// MARK: - pidfd, a descriptor of a process that becomes readable at its exit

// pidfd_open(2). glibc before 2.36 has no wrapper for it.
int cascade_pidfd_open(int32_t pid);

// MARK: - epoll

// A ready descriptor: the caller's token, and the events of the descriptor.
struct cascade_epoll_ready {
    uint64_t token;
    uint32_t events;
};

extern const uint32_t cascade_epoll_in;
extern const uint32_t cascade_epoll_out;

// The connection has ended or failed. Reported even if it was not requested.
extern const uint32_t cascade_epoll_end;

int cascade_epoll_create(void);
int cascade_epoll_add(int epoll, int fd, uint32_t events, uint64_t token);
int cascade_epoll_modify(int epoll, int fd, uint32_t events, uint64_t token);
int cascade_epoll_remove(int epoll, int fd);

// Waits, and copies at most 64 entries to `ready`, because the kernel's own structure is packed.
int cascade_epoll_wait(
    int epoll, struct cascade_epoll_ready *ready, int capacity, int timeout_milliseconds);

// MARK: - The peer of a unix socket, as the kernel recorded it at connect(2)

int cascade_peer_credentials(int fd, uint32_t *uid, uint32_t *gid, int32_t *pid);

// Writes the supplementary groups of the peer (socket(7), SO_PEERGROUPS) and returns their number. If it
// exceeds the capacity, nothing is written.
long cascade_peer_groups(int fd, uint32_t *groups, uint32_t capacity);

// Returns a descriptor for the process that connected, even if another process has its PID now (since
// Linux 6.5), or -1.
int cascade_peer_pidfd(int fd);

// MARK: - Addresses of unix sockets

// The maximum length of a path in bytes (unix(7)). A path that begins with '@' is an abstract name in all
// of these functions.
enum { cascade_unix_path_max = 107 };

// Creates a stream socket with the close-on-exec flag.
int cascade_unix_stream(int never_blocks);

// Accepts a connection. Returns a non-blocking descriptor with the close-on-exec flag.
int cascade_accept(int fd);

int cascade_unix_bind(int fd, const char *path);
int cascade_unix_connect(int fd, const char *path);

// Writes the path of a listening unix socket, terminated by 0. Returns its length, or 0 if the descriptor
// is not a listening unix socket with a path.
int cascade_listening_path(int fd, char *path, size_t capacity);

// MARK: - Files

// Exchanges the files at two paths in one step (rename(2), RENAME_EXCHANGE).
int cascade_exchange(const char *path, const char *other);

// MARK: - Datagrams with a descriptor

int cascade_datagram_socket(void);

// Sends bytes, and a descriptor unless it is negative, to the socket at a path, or with NULL to the
// connected socket. With `without_waiting` it returns -1 with EAGAIN instead of waiting.
long cascade_datagram_send(
    int fd, const char *path, const void *bytes, size_t count, int descriptor, int without_waiting);

// Receives a datagram and its descriptor; -1 for none.
long cascade_datagram_receive(int fd, void *bytes, size_t count, int *descriptor);

// MARK: - Files in memory

// Creates an empty file in memory (memfd_create(2)), which can be sealed with `allows_sealing`.
int cascade_memfd_create(const char *name, int allows_sealing);

// Seals the file. Neither its bytes nor its size can change afterwards.
int cascade_memfd_seal(int fd);

// Releases the pages of a range. The size of the file does not change.
int cascade_punch_hole(int fd, int64_t offset, int64_t length);

#endif
