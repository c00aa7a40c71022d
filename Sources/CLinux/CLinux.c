// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE

#include "CLinux.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

// The kernel's numbers, for headers that are older than the kernel.
#ifndef SO_PEERGROUPS
#define SO_PEERGROUPS 59
#endif
#ifndef SO_PEERPIDFD
#define SO_PEERPIDFD 77
#endif

// MARK: - Standard descriptors

static void reserve_standard_descriptors(void) {
    static const int modes[] = {O_WRONLY, O_RDONLY, O_WRONLY};
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
        if (fcntl(fd, F_GETFD) < 0) {
            // The lowest free number is the closed one.
            open("/dev/null", modes[fd]);
        }
    }
}

static void check_written_output(void) {
    errno = 0;
    const int flushed = fflush(stdout);
    if (flushed == 0 && !ferror(stdout)) {
        return;
    }
    const int reason = errno;
    if (reason != EPIPE) {
        // 0 if a write before this one has failed.
        dprintf(
            STDERR_FILENO, "%s: cannot write to standard output%s%s\n",
            program_invocation_short_name, reason ? ": " : "", reason ? strerror(reason) : "");
    }
    _exit(EXIT_FAILURE);
}

void cascade_prepare_standard_descriptors(void) {
    reserve_standard_descriptors();
    atexit(check_written_output);
}

// MARK: - eventfd

int cascade_eventfd_create(void) {
    return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
}

int cascade_eventfd_write(int fd) {
    return eventfd_write(fd, 1);
}

int cascade_eventfd_read(int fd) {
    eventfd_t count;
    return eventfd_read(fd, &count);
}

// MARK: - Threads and memory

int cascade_name_thread(const char *name) {
    return prctl(PR_SET_NAME, name, 0, 0, 0);
}

int cascade_trim_memory(void) {
    return malloc_trim(0);
}

size_t cascade_allocated_byte_count(void) {
    const struct mallinfo2 heap = mallinfo2();
    return heap.uordblks + heap.hblkhd;
}

int cascade_processor_count(void) {
    // The most that Linux can be built for.
    cpu_set_t processors[8192 / CPU_SETSIZE];
    if (sched_getaffinity(0, sizeof(processors), processors) != 0) {
        return -1;
    }
    return CPU_COUNT_S(sizeof(processors), processors);
}

// MARK: - pidfd

int cascade_pidfd_open(int32_t pid) {
    return (int)syscall(SYS_pidfd_open, pid, 0);
}

// MARK: - epoll

const uint32_t cascade_epoll_in = EPOLLIN;
const uint32_t cascade_epoll_out = EPOLLOUT;
const uint32_t cascade_epoll_end = EPOLLHUP | EPOLLERR;

int cascade_epoll_create(void) {
    return epoll_create1(EPOLL_CLOEXEC);
}

int cascade_epoll_add(int epoll, int fd, uint32_t events, uint64_t token) {
    struct epoll_event event = {.events = events, .data = {.u64 = token}};
    return epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event);
}

int cascade_epoll_modify(int epoll, int fd, uint32_t events, uint64_t token) {
    struct epoll_event event = {.events = events, .data = {.u64 = token}};
    return epoll_ctl(epoll, EPOLL_CTL_MOD, fd, &event);
}

int cascade_epoll_remove(int epoll, int fd) {
    return epoll_ctl(epoll, EPOLL_CTL_DEL, fd, NULL);
}

int cascade_epoll_wait(
    int epoll, struct cascade_epoll_ready *ready, int capacity, int timeout_milliseconds) {
    struct epoll_event events[64];
    if (capacity > 64) {
        capacity = 64;
    }
    int count = epoll_wait(epoll, events, capacity, timeout_milliseconds);
    for (int index = 0; index < count; index += 1) {
        ready[index].token = events[index].data.u64;
        ready[index].events = events[index].events;
    }
    return count;
}

// MARK: - Peers

int cascade_peer_credentials(int fd, uint32_t *uid, uint32_t *gid, int32_t *pid) {
    struct ucred credentials;
    socklen_t size = sizeof(credentials);
    int result = getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &credentials, &size);
    if (result == 0) {
        *uid = credentials.uid;
        *gid = credentials.gid;
        *pid = credentials.pid;
    }
    return result;
}

long cascade_peer_groups(int fd, uint32_t *groups, uint32_t capacity) {
    socklen_t size = capacity * (socklen_t)sizeof(gid_t);
    if (getsockopt(fd, SOL_SOCKET, SO_PEERGROUPS, groups, &size) != 0 && errno != ERANGE) {
        return -1;
    }
    return (long)(size / sizeof(gid_t));
}

int cascade_peer_pidfd(int fd) {
    int pidfd = -1;
    socklen_t size = sizeof(pidfd);
    return getsockopt(fd, SOL_SOCKET, SO_PEERPIDFD, &pidfd, &size) == 0 ? pidfd : -1;
}

// MARK: - Addresses

_Static_assert(cascade_unix_path_max < sizeof(((struct sockaddr_un *)0)->sun_path), "no room for the end");

// Writes the address of a path. Returns its length, or 0 with ENAMETOOLONG.
static socklen_t unix_address(const char *path, struct sockaddr_un *address) {
    size_t length = strlen(path);
    if (length > cascade_unix_path_max) {
        errno = ENAMETOOLONG;
        return 0;
    }
    *address = (struct sockaddr_un){.sun_family = AF_UNIX};
    memcpy(address->sun_path, path, length);
    if (path[0] == '@') {
        address->sun_path[0] = 0;
    }
    return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length);
}

int cascade_unix_stream(int never_blocks) {
    return socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | (never_blocks ? SOCK_NONBLOCK : 0), 0);
}

int cascade_accept(int fd) {
    return accept4(fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
}

int cascade_unix_bind(int fd, const char *path) {
    struct sockaddr_un address;
    socklen_t length = unix_address(path, &address);
    return length == 0 ? -1 : bind(fd, (struct sockaddr *)&address, length);
}

int cascade_unix_connect(int fd, const char *path) {
    struct sockaddr_un address;
    socklen_t length = unix_address(path, &address);
    return length == 0 ? -1 : connect(fd, (struct sockaddr *)&address, length);
}

int cascade_listening_path(int fd, char *path, size_t capacity) {
    int is_listening = 0;
    socklen_t size = sizeof(is_listening);
    if (getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &is_listening, &size) != 0 || !is_listening) {
        return 0;
    }
    struct sockaddr_un address = {0};
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

// MARK: - Datagrams

// Space for a control message with one descriptor, aligned as the kernel requires.
union descriptor_message {
    struct cmsghdr header;
    char bytes[CMSG_SPACE(sizeof(int))];
};

int cascade_datagram_socket(void) {
    return socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
}

long cascade_datagram_send(
    int fd, const char *path, const void *bytes, size_t count, int descriptor, int without_waiting) {
    struct sockaddr_un address;
    struct iovec part = {.iov_base = (void *)bytes, .iov_len = count};
    union descriptor_message control = {0};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = count == 0 ? 0 : 1};
    if (path) {
        message.msg_name = &address;
        message.msg_namelen = unix_address(path, &address);
        if (message.msg_namelen == 0) {
            return -1;
        }
    }
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

long cascade_datagram_receive(int fd, void *bytes, size_t count, int *descriptor) {
    struct iovec part = {.iov_base = bytes, .iov_len = count};
    union descriptor_message control = {0};
    struct msghdr message = {
        .msg_iov = &part,
        .msg_iovlen = 1,
        .msg_control = &control,
        .msg_controllen = sizeof(control),
    };
    ssize_t received = recvmsg(fd, &message, MSG_CMSG_CLOEXEC);
    struct cmsghdr *header = received < 0 ? NULL : CMSG_FIRSTHDR(&message);
    *descriptor = -1;
    if (header && header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS) {
        memcpy(descriptor, CMSG_DATA(header), sizeof(int));
    }
    return received;
}

// MARK: - Files in memory

int cascade_memfd_create(const char *name, int allows_sealing) {
    return memfd_create(name, MFD_CLOEXEC | (allows_sealing ? MFD_ALLOW_SEALING : 0));
}

int cascade_memfd_seal(int fd) {
    return fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL);
}

int cascade_punch_hole(int fd, int64_t offset, int64_t length) {
    return fallocate(fd, FALLOC_FL_KEEP_SIZE | FALLOC_FL_PUNCH_HOLE, offset, length);
}

int cascade_exchange(const char *path, const char *other) {
    return renameat2(AT_FDCWD, path, AT_FDCWD, other, RENAME_EXCHANGE);
}
