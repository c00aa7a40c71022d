// SPDX-License-Identifier: Apache-2.0

// The C surface of Cascade: libzmq itself, and the few Linux calls that Swift's Glibc module lacks.
// Every call here returns what the system returned, with errno untouched: meaning is given in Swift.
//
// libzmq's header brings structures of Glibc's with it (stat, timespec), and Swift holds this module
// for their home as soon as it has seen it first: who uses them imports both.

#ifndef CZEROMQ_H
#define CZEROMQ_H

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/un.h>
#include <unistd.h>
#include <zmq.h>

// MARK: - libzmq constants

// libzmq's own error number; its macro is arithmetic on another macro.
static const int32_t cascade_eterm = ETERM;

// Options that Debian's header hides as drafts, but that the library obeys by number.
static const int32_t cascade_zap_enforce_domain = 93;
static const int32_t cascade_zero_copy_receive = 10;

// MARK: - eventfd: a counter another thread can poll

static inline int cascade_eventfd_create(void) {
    return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
}

// Makes the descriptor readable. Only a full counter refuses, and then it is readable already.
static inline int cascade_eventfd_write(int fd) {
    return eventfd_write(fd, 1);
}

// Makes the descriptor unreadable again, and returns 0 where it was readable.
static inline int cascade_eventfd_read(int fd) {
    eventfd_t count;
    return eventfd_read(fd, &count);
}

// MARK: - Threads

// The first 15 bytes name the calling thread.
static inline int cascade_name_thread(const char *name) {
    return prctl(PR_SET_NAME, name, 0, 0, 0);
}

// MARK: - Memory

// Gives free memory of all arenas back to the system; glibc by itself keeps what is below its top.
static inline int cascade_trim_memory(void) {
    return malloc_trim(0);
}

// Bytes of the heap that are in use, in all arenas.
static inline size_t cascade_allocated_byte_count(void) {
    const struct mallinfo2 heap = mallinfo2();
    return heap.uordblks + heap.hblkhd;
}

// MARK: - pidfd: a process another thread can poll for its end

// glibc before 2.36 has no wrapper.
static inline int cascade_pidfd_open(pid_t pid) {
    return (int)syscall(SYS_pidfd_open, pid, 0);
}

// Sends a signal to the process the descriptor stands for, never to a later owner of its number.
static inline int cascade_pidfd_send_signal(int pidfd, int signal) {
    return (int)syscall(SYS_pidfd_send_signal, pidfd, signal, (void *)0, 0);
}

// MARK: - epoll

// One ready descriptor: the caller's token, and what epoll saw (EPOLLIN and so on).
struct cascade_epoll_ready {
    uint64_t token;
    uint32_t events;
};

enum { cascade_epoll_batch = 64 };

static const uint32_t cascade_epoll_in = EPOLLIN;
static const uint32_t cascade_epoll_out = EPOLLOUT;
static const uint32_t cascade_epoll_hangup = EPOLLHUP;
static const uint32_t cascade_epoll_error = EPOLLERR;

static inline int cascade_epoll_create(void) {
    return epoll_create1(EPOLL_CLOEXEC);
}

static inline int cascade_epoll_add(int epoll, int fd, uint32_t events, uint64_t token) {
    struct epoll_event event = {.events = events, .data = {.u64 = token}};
    return epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event);
}

static inline int cascade_epoll_modify(int epoll, int fd, uint32_t events, uint64_t token) {
    struct epoll_event event = {.events = events, .data = {.u64 = token}};
    return epoll_ctl(epoll, EPOLL_CTL_MOD, fd, &event);
}

static inline int cascade_epoll_remove(int epoll, int fd) {
    return epoll_ctl(epoll, EPOLL_CTL_DEL, fd, (struct epoll_event *)0);
}

// Fills at most cascade_epoll_batch entries; the kernel's struct is packed, so it's copied out.
static inline int cascade_epoll_wait(
    int epoll, struct cascade_epoll_ready *ready, int capacity, int timeout_milliseconds) {
    struct epoll_event events[cascade_epoll_batch];
    if (capacity > cascade_epoll_batch) {
        capacity = cascade_epoll_batch;
    }
    int count = epoll_wait(epoll, events, capacity, timeout_milliseconds);
    for (int index = 0; index < count; index += 1) {
        ready[index].token = events[index].data.u64;
        ready[index].events = events[index].events;
    }
    return count;
}

// MARK: - Who is at the other end of a unix socket

// The kernel's word, fixed when the peer connected. Same layout as struct ucred, which glibc shows
// to GNU sources only.
static inline int cascade_peer_credentials(int fd, uid_t *uid, gid_t *gid, pid_t *pid) {
    struct {
        pid_t pid;
        uid_t uid;
        gid_t gid;
    } credentials;
    socklen_t size = sizeof(credentials);
    int result = getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &credentials, &size);
    if (result == 0) {
        *uid = credentials.uid;
        *gid = credentials.gid;
        *pid = credentials.pid;
    }
    return result;
}

// The supplementary groups that the peer had when it connected (socket(7), SO_PEERGROUPS). Returns
// how many there are; where that is more than there is room for, nothing is written.
static inline long cascade_peer_groups(int fd, gid_t *groups, uint32_t room) {
    socklen_t size = room * (socklen_t)sizeof(gid_t);
    if (getsockopt(fd, SOL_SOCKET, 59, groups, &size) != 0 && errno != ERANGE) {
        return -1;
    }
    return (long)(size / sizeof(gid_t));
}

// A descriptor for the very process that connected, whoever has its number now (Linux 6.5).
static inline int cascade_peer_pidfd(int fd) {
    static const int peer_pidfd = 77;
    int pidfd = -1;
    socklen_t size = sizeof(pidfd);
    return getsockopt(fd, SOL_SOCKET, peer_pidfd, &pidfd, &size) == 0 ? pidfd : -1;
}

// MARK: - Datagrams, with a descriptor

static inline int cascade_datagram_socket(void) {
    return socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
}

// Sends bytes to the socket at a path; one that begins with @ is not in the file system. A descriptor
// below 0 is none. Returns -1 with EAGAIN where it would have to wait and must not.
static inline ssize_t cascade_send_datagram(
    int fd, const char *path, const char *bytes, size_t count, int descriptor, int without_waiting) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    size_t length = strlen(path);
    if (length >= sizeof(address.sun_path)) {
        errno = ENAMETOOLONG;
        return -1;
    }
    memcpy(address.sun_path, path, length);
    if (path[0] == '@') {
        address.sun_path[0] = 0;
    }
    struct iovec part = {.iov_base = (void *)bytes, .iov_len = count};
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control;
    memset(&control, 0, sizeof(control));
    struct msghdr message = {
        .msg_name = &address,
        .msg_namelen = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length),
        .msg_iov = &part,
        .msg_iovlen = 1,
    };
    if (descriptor >= 0) {
        message.msg_control = &control;
        message.msg_controllen = sizeof(control);
        control.header.cmsg_level = SOL_SOCKET;
        control.header.cmsg_type = SCM_RIGHTS;
        control.header.cmsg_len = CMSG_LEN(sizeof(int));
        memcpy(CMSG_DATA(&control.header), &descriptor, sizeof(int));
    }
    ssize_t result;
    do {
        result = sendmsg(fd, &message, MSG_NOSIGNAL | (without_waiting ? MSG_DONTWAIT : 0));
    } while (result < 0 && errno == EINTR);
    return result;
}

// MARK: - Descriptors that another process opened

// The path of a listening stream socket, with its end; 0 where it has none or is something else.
static inline int cascade_listening_path(int fd, char *path, size_t capacity) {
    int listens = 0;
    socklen_t size = sizeof(listens);
    if (getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size) != 0 || !listens) {
        return 0;
    }
    struct sockaddr_un address;
    memset(&address, 0, sizeof(address));
    size = sizeof(address);
    if (getsockname(fd, (struct sockaddr *)&address, &size) != 0 || address.sun_family != AF_UNIX ||
        address.sun_path[0] == 0) {
        return 0;
    }
    size_t length = strnlen(address.sun_path, sizeof(address.sun_path));
    if (length >= capacity) {
        return 0;
    }
    memcpy(path, address.sun_path, length);
    path[length] = 0;
    return (int)length;
}

// glibc before 2.27 has no wrapper, and shows it to GNU sources only.
static inline int cascade_memfd_create(const char *name) {
    // MFD_CLOEXEC
    return (int)syscall(SYS_memfd_create, name, 1u);
}

// Gives the pages back that the range takes up; the file stays as long as it is.
static inline int cascade_punch_hole(int fd, off_t offset, off_t length) {
    // FALLOC_FL_KEEP_SIZE | FALLOC_FL_PUNCH_HOLE
    return (int)syscall(SYS_fallocate, fd, 0x03, offset, length);
}

// MARK: - Datagrams to one socket, however big

int cascade_datagram_connect(const char *path);

// Sends the bytes as a sealed file in memory, which is how systemd's journal takes what is too big
// for a datagram.
int cascade_datagram_send_file(int fd, const void *bytes, size_t count);

// Receives a datagram, and the descriptor that came with it, or -1.
ssize_t cascade_datagram_receive(int fd, void *bytes, size_t count, int *file);

#endif
