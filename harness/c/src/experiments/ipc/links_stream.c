/* Links through the kernel: two named pipes, a stream socket on a path, one over the loopback. */
#include "ipc.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

static int broken(const char *what) {
    return fail(STATUS_NO_RESOURCES, "%s: %s", what, strerror(errno));
}

int link_set_blocking(int file, bool blocking) {
    const int flags = fcntl(file, F_GETFL);
    return fcntl(file, F_SETFL, blocking ? flags & ~O_NONBLOCK : flags | O_NONBLOCK)
               ? broken("a descriptor's flags cannot be set")
               : 0;
}

static int make_pipe(struct end *end, struct scratch *scratch) {
    for (int role = PING; role <= PONG; role++) {
        if (mkfifo(scratch->path[role], 0600) != 0) {
            return fail(STATUS_NO_RESOURCES, "--dir: %s cannot be made: %s", scratch->path[role], strerror(errno));
        }
    }
    end->reads.file = open(scratch->path[PONG], O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    return end->reads.file < 0 ? broken(scratch->path[PONG]) : 0;
}

/* Opening to read does not wait, opening to write fails until there is a reader: so no end waits for one that has
 * died. */
static int open_to_write(struct end *end, const char *path) {
    const int64_t since = clock_ns();
    while ((end->writes.file = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC)) < 0) {
        if (errno != ENXIO) {
            return broken(path);
        }
        sched_yield();
        meeting_end_if_hopeless(since);
    }
    int status = link_set_blocking(end->writes.file, true);
    return status ? status : link_set_blocking(end->reads.file, true);
}

static int welcome_pipe(struct end *end, struct scratch *scratch) {
    return open_to_write(end, scratch->path[PING]);
}

static int join_pipe(struct end *end, struct scratch *scratch) {
    end->reads.file = open(scratch->path[PING], O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    return end->reads.file < 0 ? broken(scratch->path[PING]) : open_to_write(end, scratch->path[PONG]);
}

const struct link link_pipe = {.make = make_pipe, .welcome = welcome_pipe, .join = join_pipe};

union address {
    struct sockaddr any;
    struct sockaddr_un path;
    struct sockaddr_in internet;
};

static int path_address(const struct scratch *scratch, union address *address) {
    *address = (union address){.path = {.sun_family = AF_UNIX}};
    const char *path = scratch->path[PING];
    if (strlen(path) >= sizeof address->path.sun_path) {
        return fail(STATUS_BAD_ARGUMENT, "--dir %s: too long for the path of a socket: %zu bytes", scratch->folder,
                    sizeof address->path.sun_path - 1);
    }
    strcpy(address->path.sun_path, path);
    return 0;
}

static union address loopback(int64_t port) {
    return (union address){.internet = {.sin_family = AF_INET,
                                        .sin_port = htons((uint16_t)port),
                                        .sin_addr.s_addr = htonl(INADDR_LOOPBACK)}};
}

static int listen_at(struct scratch *scratch, union address *address, socklen_t length) {
    scratch->listener = socket(address->any.sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (scratch->listener < 0 || bind(scratch->listener, &address->any, length) != 0 ||
        listen(scratch->listener, 1) != 0 || getsockname(scratch->listener, &address->any, &length) != 0) {
        return broken("a socket cannot be listened at");
    }
    return 0;
}

static int connect_to(struct end *end, const union address *address, socklen_t length) {
    const int file = socket(address->any.sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    end->reads.file = end->writes.file = file;
    return file < 0 || connect(file, &address->any, length) != 0 ? broken("a socket cannot be connected") : 0;
}

static int accept_one(struct end *end, struct scratch *scratch) {
    const int64_t since = clock_ns();
    struct pollfd wanted = {.fd = scratch->listener, .events = POLLIN};
    while (poll(&wanted, 1, 10) <= 0) {
        meeting_end_if_hopeless(since);
    }
    const int file = accept4(scratch->listener, NULL, NULL, SOCK_CLOEXEC);
    end->reads.file = end->writes.file = file;
    close(scratch->listener);
    return file < 0 ? broken("a connection cannot be accepted") : 0;
}

static int make_unix(UNUSED struct end *end, struct scratch *scratch) {
    union address address;
    int status = path_address(scratch, &address);
    return status ? status : listen_at(scratch, &address, sizeof address.path);
}

static int join_unix(struct end *end, struct scratch *scratch) {
    union address address;
    int status = path_address(scratch, &address);
    return status ? status : connect_to(end, &address, sizeof address.path);
}

const struct link link_unix = {.make = make_unix, .welcome = accept_one, .join = join_unix};

static int make_tcp(UNUSED struct end *end, struct scratch *scratch) {
    union address address = loopback(0);
    int status = listen_at(scratch, &address, sizeof address.internet);
    scratch->key = ntohs(address.internet.sin_port);
    return status;
}

/* A message goes out at once, and not with the next. */
static int send_at_once(const struct end *end) {
    const int yes = 1;
    return setsockopt(end->writes.file, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes) != 0
               ? broken("TCP_NODELAY cannot be set")
               : 0;
}

static int welcome_tcp(struct end *end, struct scratch *scratch) {
    int status = accept_one(end, scratch);
    return status ? status : send_at_once(end);
}

static int join_tcp(struct end *end, struct scratch *scratch) {
    const union address address = loopback(scratch->key);
    int status = connect_to(end, &address, sizeof address.internet);
    return status ? status : send_at_once(end);
}

const struct link link_tcp = {.make = make_tcp, .welcome = welcome_tcp, .join = join_tcp};
