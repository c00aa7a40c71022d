// SPDX-License-Identifier: Apache-2.0

// What is too long for a header, or needs GNU's declarations.
#define _GNU_SOURCE

#include "CZeroMQ.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/un.h>

int cascade_datagram_connect(const char *path) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof(address.sun_path)) {
        errno = ENAMETOOLONG;
        return -1;
    }
    strcpy(address.sun_path, path);
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0) {
        return -1;
    }
    if (connect(fd, (struct sockaddr *)&address, sizeof(address)) != 0) {
        int error = errno;
        close(fd);
        errno = error;
        return -1;
    }
    return fd;
}

// A new file in memory that holds the bytes and can no longer change.
static int sealed_file(const void *bytes, size_t count) {
    int file = memfd_create("cascade", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (file < 0) {
        return -1;
    }
    size_t written = 0;
    while (written < count) {
        ssize_t part = write(file, (const char *)bytes + written, count - written);
        if (part <= 0) {
            close(file);
            return -1;
        }
        written += (size_t)part;
    }
    if (fcntl(file, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL) != 0) {
        close(file);
        return -1;
    }
    return file;
}

int cascade_datagram_send_file(int fd, const void *bytes, size_t count) {
    int file = sealed_file(bytes, count);
    if (file < 0) {
        return -1;
    }
    union {
        struct cmsghdr header;
        char room[CMSG_SPACE(sizeof(int))];
    } control = {0};
    struct msghdr message = {
        .msg_control = &control,
        .msg_controllen = sizeof(control),
    };
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(header), &file, sizeof(int));
    int result = (int)sendmsg(fd, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
    int error = errno;
    close(file);
    errno = error;
    return result;
}

ssize_t cascade_datagram_receive(int fd, void *bytes, size_t count, int *file) {
    struct iovec part = {.iov_base = bytes, .iov_len = count};
    union {
        struct cmsghdr header;
        char room[CMSG_SPACE(sizeof(int))];
    } control = {0};
    struct msghdr message = {
        .msg_iov = &part,
        .msg_iovlen = 1,
        .msg_control = &control,
        .msg_controllen = sizeof(control),
    };
    ssize_t received = recvmsg(fd, &message, MSG_CMSG_CLOEXEC);
    struct cmsghdr *header = received < 0 ? NULL : CMSG_FIRSTHDR(&message);
    *file = -1;
    if (header && header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS) {
        memcpy(file, CMSG_DATA(header), sizeof(int));
    }
    return received;
}
