// The shortest server that somebody might write instead of Lockstep's: one thread, epoll, OpenSSL and SQLite.
// It stores a row for each event, durable before it is acknowledged. One transaction has the events that
// arrived from all connections at once.
//
//   store sqlite|libpq|write STORE PORT FOLDER
//
// `write` appends the events' bytes to a file that has the space already, so that the file system has nothing
// of its own to write. It calls fdatasync once for each batch. Hardly any durable write is faster on that
// disk, so it is the limit. `libpq` uses a PostgreSQL database with the address STORE. Each request is one
// row, like each upload in Lockstep's store. It is sent without waiting for the row before (pipelined,
// prepared, binary). For the others STORE is a file. FOLDER has server.pem (key and certificate) and ca.pem,
// which signs the clients' certificates.
//
// A request is a length (4 bytes, big-endian), then events of group (8), seq (8), length (2) and body. The
// answer is one byte, sent when all its events are durable.

#include <arpa/inet.h>
#include <fcntl.h>
#include <libpq-fe.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/ssl.h>
#include <sqlite3.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { CHUNK = 65536, ROOM = 128 << 20 };

struct client {
    int fd, isSecure;
    SSL *ssl;
    uint8_t *in;
    size_t have, room;
    // The number of requests to answer when the batch is durable.
    int answers;
    struct client *nextOfLot;
};

static sqlite3 *database;
static sqlite3_stmt *insert, *begin, *commit;
static PGconn *remote;
static int file = -1;
static struct client *lot;

static void fail(const char *what) {
    fprintf(stderr, "store: %s\n", what);
    exit(1);
}

static uint64_t number(const uint8_t *p, int bytes) {
    uint64_t value = 0;
    while (bytes-- > 0) value = value << 8 | *p++;
    return value;
}

static void check(int result) {
    if (result != SQLITE_OK && result != SQLITE_DONE) fail(sqlite3_errmsg(database));
}

static void step(sqlite3_stmt *statement) {
    check(sqlite3_step(statement));
    check(sqlite3_reset(statement));
}

static void openDatabase(const char *path) {
    check(sqlite3_open(path, &database));
    check(sqlite3_exec(database,
                       "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;"
                       "CREATE TABLE IF NOT EXISTS events (grp INTEGER, seq INTEGER, body BLOB, PRIMARY KEY (grp, seq)) WITHOUT ROWID",
                       NULL, NULL, NULL));
    check(sqlite3_prepare_v2(database, "INSERT OR IGNORE INTO events VALUES (?, ?, ?)", -1, &insert, NULL));
    check(sqlite3_prepare_v2(database, "BEGIN IMMEDIATE", -1, &begin, NULL));
    check(sqlite3_prepare_v2(database, "COMMIT", -1, &commit, NULL));
}

static void openFile(const char *path) {
    static uint8_t zeros[1 << 20];
    if ((file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600)) < 0) fail("no file");
    for (int written = 0; written < ROOM; written += sizeof zeros)
        if (write(file, zeros, sizeof zeros) != sizeof zeros) fail("no room");
    if (fsync(file) != 0 || lseek(file, 0, SEEK_SET) != 0) fail("no file");
}

// Checks the results of all statements sent, up to the synchronization point.
static void checkRemote(void) {
    for (;;) {
        PGresult *result = PQgetResult(remote);
        ExecStatusType status = PQresultStatus(result);
        // The results of each request end with a null result.
        if (result && status != PGRES_COMMAND_OK && status != PGRES_PIPELINE_SYNC) fail(PQerrorMessage(remote));
        PQclear(result);
        if (status == PGRES_PIPELINE_SYNC) return;
        if (PQstatus(remote) != CONNECTION_OK) fail(PQerrorMessage(remote));
    }
}

static void openRemote(const char *address) {
    static const char *const first[] = {"SET client_min_messages = warning",
                                        "CREATE TABLE IF NOT EXISTS segments (grp bigint, seq bigint, body bytea, PRIMARY KEY (grp, seq))"};
    remote = PQconnectdb(address);
    if (PQstatus(remote) != CONNECTION_OK || !PQenterPipelineMode(remote)) fail(PQerrorMessage(remote));
    for (int i = 0; i < 2; i++) PQsendQueryParams(remote, first[i], 0, NULL, NULL, NULL, NULL, 1);
    // A statement can be prepared only after its table exists.
    PQpipelineSync(remote);
    checkRemote();
    PQsendPrepare(remote, "begin", "BEGIN", 0, NULL);
    PQsendPrepare(remote, "insert", "INSERT INTO segments VALUES ($1, $2, $3) ON CONFLICT DO NOTHING", 0, NULL);
    PQsendPrepare(remote, "commit", "COMMIT", 0, NULL);
    PQpipelineSync(remote);
    checkRemote();
}

static void sendRemote(const char *name) {
    if (!PQsendQueryPrepared(remote, name, 0, NULL, NULL, NULL, 1)) fail(PQerrorMessage(remote));
}

// The group and seq of a request's first event are the key of its row.
static void mergeRemote(const uint8_t *events, size_t length) {
    if (length < 18) fail("a request without an event");
    const char *values[] = {(const char *)events, (const char *)events + 8, (const char *)events};
    int lengths[] = {8, 8, (int)length}, formats[] = {1, 1, 1};
    if (!PQsendQueryPrepared(remote, "insert", 3, values, lengths, formats, 1)) fail(PQerrorMessage(remote));
}

static void beginLot(void) {
    if (database) step(begin);
    else if (remote) sendRemote("begin");
}

static void commitLot(void) {
    if (database) return step(commit);
    if (!remote) {
        if (fdatasync(file) != 0) fail("fdatasync");
        return;
    }
    sendRemote("commit");
    if (!PQpipelineSync(remote)) fail(PQerrorMessage(remote));
    checkRemote();
}

static void merge(const uint8_t *events, size_t length) {
    if (remote) return mergeRemote(events, length);
    if (file >= 0) {
        if (write(file, events, length) != (ssize_t)length) fail("writing");
        return;
    }
    for (size_t at = 0; at + 18 <= length;) {
        size_t body = number(events + at + 16, 2);
        if (at + 18 + body > length) fail("an event is cut short");
        check(sqlite3_bind_int64(insert, 1, number(events + at, 8)));
        check(sqlite3_bind_int64(insert, 2, number(events + at + 8, 8)));
        check(sqlite3_bind_blob(insert, 3, events + at + 18, body, SQLITE_STATIC));
        step(insert);
        at += 18 + body;
    }
}

static void drop(struct client *client) {
    close(client->fd);
    SSL_free(client->ssl);
    free(client->in);
    free(client);
}

// Reads a client's bytes, and adds its requests to the batch.
static void receive(struct client *client) {
    if (!client->isSecure) {
        int result = SSL_accept(client->ssl);
        if (result != 1) {
            if (SSL_get_error(client->ssl, result) != SSL_ERROR_WANT_READ) drop(client);
            return;
        }
        client->isSecure = 1;
    }
    for (;;) {
        if (client->room - client->have < CHUNK) client->in = realloc(client->in, client->room = client->have + CHUNK);
        int got = SSL_read(client->ssl, client->in + client->have, CHUNK);
        if (got <= 0) {
            if (SSL_get_error(client->ssl, got) != SSL_ERROR_WANT_READ && !client->answers) return drop(client);
            break;
        }
        client->have += got;
        size_t start = 0;
        while (client->have - start >= 4) {
            size_t length = number(client->in + start, 4);
            if (client->have - start < 4 + length) break;
            if (!lot) beginLot();
            merge(client->in + start + 4, length);
            start += 4 + length;
            if (client->answers++ == 0) {
                client->nextOfLot = lot;
                lot = client;
            }
        }
        memmove(client->in, client->in + start, client->have -= start);
    }
    if (client->have == 0) {
        free(client->in);
        client->in = NULL;
        client->room = 0;
    }
}

// Commits the batch, then answers its requests.
static void settle(void) {
    if (!lot) return;
    commitLot();
    while (lot) {
        struct client *client = lot;
        lot = client->nextOfLot;
        while (client->answers > 0) {
            SSL_write(client->ssl, "k", 1);
            client->answers--;
        }
    }
}

static SSL_CTX *context(const char *folder) {
    char own[4096], authority[4096];
    snprintf(own, sizeof own, "%s/server.pem", folder);
    snprintf(authority, sizeof authority, "%s/ca.pem", folder);
    SSL_CTX *made = SSL_CTX_new(TLS_server_method());
    SSL_CTX_set_min_proto_version(made, TLS1_3_VERSION);
    SSL_CTX_set_num_tickets(made, 0);
    SSL_CTX_set_mode(made, SSL_MODE_RELEASE_BUFFERS);
    if (SSL_CTX_use_certificate_file(made, own, SSL_FILETYPE_PEM) != 1 ||
        SSL_CTX_use_PrivateKey_file(made, own, SSL_FILETYPE_PEM) != 1 ||
        SSL_CTX_load_verify_locations(made, authority, NULL) != 1)
        fail("no key or certificates");
    SSL_CTX_set_verify(made, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, NULL);
    return made;
}

int main(int argc, char **argv) {
    if (argc != 5) fail("store sqlite|libpq|write STORE PORT FOLDER");
    if (!strcmp(argv[1], "sqlite")) openDatabase(argv[2]);
    else if (!strcmp(argv[1], "libpq")) openRemote(argv[2]);
    else openFile(argv[2]);
    SSL_CTX *tls = context(argv[4]);
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), on = 1;
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(atoi(argv[3]))};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (bind(listener, (struct sockaddr *)&address, sizeof address) != 0 || listen(listener, 1024) != 0) fail("no port");
    int loop = epoll_create1(EPOLL_CLOEXEC);
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = NULL};
    epoll_ctl(loop, EPOLL_CTL_ADD, listener, &event);
    for (;;) {
        struct epoll_event events[256];
        int ready = epoll_wait(loop, events, 256, -1);
        for (int i = 0; i < ready; i++) {
            if (events[i].data.ptr) {
                receive(events[i].data.ptr);
                continue;
            }
            struct client *client = calloc(1, sizeof *client);
            client->fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
            if (client->fd < 0) fail("accept");
            setsockopt(client->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
            client->ssl = SSL_new(tls);
            SSL_set_fd(client->ssl, client->fd);
            event = (struct epoll_event){.events = EPOLLIN, .data.ptr = client};
            epoll_ctl(loop, EPOLL_CTL_ADD, client->fd, &event);
        }
        settle();
    }
}
