// SPDX-License-Identifier: Apache-2.0

// The C surface of Cascade: libzmq itself, and the few Linux calls that Swift's Glibc module lacks.
// Every call here returns what the system returned, with errno untouched: meaning is given in Swift.

#ifndef CZEROMQ_H
#define CZEROMQ_H

#include <errno.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/types.h>
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

// A descriptor for the very process that connected, whoever has its number now (Linux 6.5).
static inline int cascade_peer_pidfd(int fd) {
    static const int peer_pidfd = 77;
    int pidfd = -1;
    socklen_t size = sizeof(pidfd);
    return getsockopt(fd, SOL_SOCKET, peer_pidfd, &pidfd, &size) == 0 ? pidfd : -1;
}

#endif
