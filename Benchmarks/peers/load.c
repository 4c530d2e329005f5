// The load for every measured peer, including Lockstep: one process, one thread, TLS 1.3 (`lockstep-web`: 1.2) with a client
// certificate, and prepared bytes. So the load costs the same for all peers, and it reports that cost.
//
//   load merge|press|RATE PROTOCOL PORT[,PORT...] CONNECTIONS FOLDER [TEAM]
//
// With several ports, the connections use them in turn.
//
// FOLDER has a file of records for each connection, numbered from 0. It also has the key and certificate of
// each in PEM, N.pem, or one for all, client.pem. A record begins with its type (1 byte) and the kind of
// answer that it waits for (1; 0 is any). Then follow the number of these answers (4, big-endian; 0 if it
// doesn't wait), the number of its bytes (4) and the bytes themselves. The types are:
//
//   T  sent in the clear before TLS begins. The answer is in the clear too, and its last byte is the kind.
//   O  sent to open the connection, before anything is measured
//   R  a request
//
// A connection that is closed before it is open connects again after half a second, as a laptop does. When
// all are open, the load prints `ready SECONDS PROCESSOR-SECONDS RECONNECTIONS` and waits for a line. Then it
// sends the requests, prints one line of figures, and keeps the connections until its input ends.
//
//   merge  Each connection sends its next request when the last one is answered.
//   press  Connection 0 sends a request, and the next one when all other connections have received it.
//   RATE   A number of requests a second. The connections send them in turn, until the input ends. If a
//          connection still waits for an answer, the next one sends.
//
// With TEAM, each TEAM consecutive connections form a team. Each opens when the one before it in its team is
// open; up to OPENING teams open at a time. With RATE, the first of a team sends a press, which lasts until
// all others of the team have received it.

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

enum {
    CHUNK = 65536,
    // The number of connections from one address. The system has about as many ports for one.
    PORTS = 20000,
    // The number of servers at most.
    SERVERS = 16,
    // The number of teams that open at a time.
    OPENING = 64,
    // A shorter script is loaded into memory before the measurement.
    POPULATED = 256 << 20
};

// A record of a connection's file.
struct record {
    uint8_t type, kind;
    uint32_t answers, length;
    const uint8_t *bytes;
};

struct connection {
    int fd, number;
    SSL *ssl;
    // The certificate and key that the connection shows.
    X509 *certificate;
    EVP_PKEY *key;
    int isSecure, isOpen, wantsToWrite;
    // The file, and the offset of its next record.
    uint8_t *file;
    size_t size, next;
    // The bytes to send, and the number that is left.
    const uint8_t *out;
    size_t left;
    // The kind and number of answers to wait for.
    uint8_t kind;
    uint32_t answers;
    double sent;
    // For the first of a team: the number of connections in it that haven't received the press yet.
    int unseen;
    // The received bytes that aren't a whole message yet.
    uint8_t *in;
    size_t have, room;
};

static struct connection *connections;
static int count, opened, isPress, isRunning, rate;
// The servers' ports.
static int ports[SERVERS], servers;
// The size of a team, 0 if there are none, and the first connection of the teams that don't open yet.
static int team, firstWaiting;
static const char *protocol, *folder;
static int loop, timer;
static SSL_CTX *context;
static double *times;
static size_t timesTaken, timesRoom;
static int finished, hasEnded;
// With a rate: the next connection to send, and the number of requests that no connection could send.
static int nextSender;
static size_t omitted;
// The connections that connect again, and the time of the first one; a ring of `count`.
static int *comers, firstComer, comersWaiting;
static double *comingAt;
static size_t timesComeAgain;
static const double COME_AGAIN = 0.5;

static void fail(const char *format, ...) {
    va_list words;
    va_start(words, format);
    vfprintf(stderr, format, words);
    va_end(words);
    fprintf(stderr, "\n");
    exit(1);
}

static double now(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return time.tv_sec + time.tv_nsec * 1e-9;
}

static uint32_t number32(const uint8_t *p) { return (uint32_t)p[0] << 24 | p[1] << 16 | p[2] << 8 | p[3]; }

// MARK: The length and kind of the first message in each protocol; a length of 0 means that it isn't whole
// yet

static size_t lineLength(const uint8_t *p, size_t n) {
    const uint8_t *end = memchr(p, '\n', n);
    return end ? (size_t)(end - p) + 1 : 0;
}

static size_t respLength(const uint8_t *p, size_t n) {
    size_t line = lineLength(p, n);
    if (line == 0) return 0;
    long parts = atol((const char *)p + 1);
    if (p[0] == '$') return parts < 0 ? line : n >= line + parts + 2 ? line + parts + 2 : 0;
    if (p[0] != '*') return line;
    for (size_t all = line;; parts--) {
        if (parts <= 0) return all;
        size_t part = respLength(p + all, n - all);
        if (part == 0) return 0;
        all += part;
    }
}

static size_t mqttLength(const uint8_t *p, size_t n) {
    size_t length = 0;
    for (size_t i = 1; i < n && i < 5; i++) {
        length |= (size_t)(p[i] & 0x7F) << 7 * (i - 1);
        if (!(p[i] & 0x80)) return n >= i + 1 + length ? i + 1 + length : 0;
    }
    return 0;
}

static size_t natsLength(const uint8_t *p, size_t n) {
    size_t line = lineLength(p, n);
    if (line == 0 || p[0] != 'M') return line;
    size_t size = 0, unit = 1;
    for (const uint8_t *digit = p + line - 3; *digit != ' '; digit--, unit *= 10) size += (*digit - '0') * unit;
    return n >= line + size + 2 ? line + size + 2 : 0;
}

static size_t message(struct connection *c, const uint8_t *p, size_t n, uint8_t *kind) {
    if (n == 0) return 0;
    size_t length = 0;
    int isRefusal = 0;
    *kind = p[0];
    if (!strcmp(protocol, "resp")) {
        length = respLength(p, n);
        isRefusal = p[0] == '-';
    } else if (!strcmp(protocol, "postgres")) {
        length = n < 5 ? 0 : number32(p + 1) + 1;
        isRefusal = p[0] == 'E';
    } else if (!strcmp(protocol, "mqtt")) {
        length = mqttLength(p, n);
        *kind = p[0] & 0xF0;
        // A CONNACK with a reason for the refusal.
        isRefusal = *kind == 0x20 && n >= 4 && p[3] != 0;
    } else if (!strcmp(protocol, "nats")) {
        length = natsLength(p, n);
        isRefusal = p[0] == '-' || (p[0] == 'M' && length && memmem(p, length, "\"error\"", 7));
        if (length && !memcmp(p, "PONG", 4)) *kind = 'O';
    } else if (!strncmp(protocol, "lockstep", 8)) {
        length = n < 5 ? 0 : number32(p) + 4;
        *kind = n < 5 ? 0 : p[4];
        // An error, or an ack with a code.
        isRefusal = *kind == 0x03 || (*kind == 0x21 && n >= length && p[length - 5] != 0);
    } else {
        length = 1;
    }
    if (length == 0 || n < length) return 0;
    if (isRefusal) fail("connection %d was refused: %.*s", c->number, (int)(length < 300 ? length : 300), p);
    return length;
}

// MARK: Sending

static void watch(struct connection *c, int wantsToWrite) {
    if (c->wantsToWrite == wantsToWrite) return;
    c->wantsToWrite = wantsToWrite;
    struct epoll_event event = {.events = EPOLLIN | (wantsToWrite ? EPOLLOUT : 0), .data.ptr = c};
    epoll_ctl(loop, EPOLL_CTL_MOD, c->fd, &event);
}

// Closes the connection, and schedules another attempt.
static void comeAgain(struct connection *c) {
    SSL_free(c->ssl);
    close(c->fd);
    c->ssl = NULL;
    c->isSecure = c->wantsToWrite = 0;
    c->answers = 0;
    c->next = c->left = c->have = 0;
    int place = (firstComer + comersWaiting++) % count;
    comers[place] = c->number;
    comingAt[place] = now(CLOCK_MONOTONIC) + COME_AGAIN;
    timesComeAgain++;
}

// Returns the event that OpenSSL waits for. If the connection is broken, ends the process, unless the
// connection may be opened again.
static int want(struct connection *c, int result, const char *what) {
    int error = SSL_get_error(c->ssl, result);
    if (error == SSL_ERROR_WANT_READ || error == SSL_ERROR_WANT_WRITE) return error;
    if (!c->isOpen && team == 0) {
        ERR_clear_error();
        comeAgain(c);
        return 0;
    }
    char why[256] = "";
    ERR_error_string_n(ERR_peek_error(), why, sizeof why);
    fail("%s on connection %d: %d %s", what, c->number, error, why);
    return 0;
}

static void flush(struct connection *c) {
    while (c->left > 0) {
        int sent = SSL_write(c->ssl, c->out, c->left > CHUNK ? CHUNK : (int)c->left);
        if (sent <= 0) return watch(c, want(c, sent, "sending") == SSL_ERROR_WANT_WRITE);
        c->out += sent;
        c->left -= sent;
    }
    watch(c, 0);
}

static int peek(struct connection *c, struct record *record) {
    if (c->next + 10 > c->size) return 0;
    const uint8_t *p = c->file + c->next;
    *record = (struct record){p[0], p[1], number32(p + 2), number32(p + 6), p + 10};
    return 1;
}

static void take(struct connection *c, struct record *record) {
    c->next += 10 + record->length;
    c->kind = record->kind;
    c->answers = record->answers;
    c->out = record->bytes;
    c->left = record->length;
    c->sent = now(CLOCK_MONOTONIC);
    flush(c);
}

static void begin(int place);

static void hasOpened(struct connection *c) {
    c->isOpen = 1;
    opened++;
    if (team == 0) return;
    if ((c->number + 1) % team != 0) return begin(c->number + 1);
    if (firstWaiting >= count) return;
    firstWaiting += team;
    begin(firstWaiting - team);
}

// Sends the opening records, up to one that waits for answers.
static void openOn(struct connection *c) {
    struct record record;
    while (peek(c, &record) && record.type == 'O') {
        take(c, &record);
        if (c->answers || c->ssl == NULL) return;
    }
    hasOpened(c);
}

static void taken(double seconds) {
    if (timesTaken == timesRoom) times = realloc(times, (timesRoom = timesRoom * 2 + 1024) * sizeof *times);
    times[timesTaken++] = seconds;
}

static void sendNext(struct connection *c) {
    struct record record;
    if (!peek(c, &record)) {
        finished++;
        return;
    }
    take(c, &record);
}

static void press(struct connection *c) {
    struct record record;
    if (!peek(c, &record)) {
        finished = count;
        return;
    }
    c->unseen = team - 1;
    for (int i = 1; i < team; i++) c[i].answers = 1;
    take(c, &record);
}

static void answered(struct connection *c) {
    if (!c->isOpen) return openOn(c);
    if (!isRunning) return;
    struct connection *first = team ? c - c->number % team : c;
    double seconds = now(CLOCK_MONOTONIC) - first->sent;
    if (!isPress) {
        taken(seconds);
        if (rate == 0) sendNext(c);
        return;
    }
    if (c != first && --first->unseen == 0) taken(seconds);
    if (rate == 0 && first->unseen == 0 && first->answers == 0) press(first);
}

// MARK: Receiving

static void receive(struct connection *c) {
    while (c->ssl) {
        if (c->room - c->have < CHUNK) c->in = realloc(c->in, c->room = c->have + CHUNK);
        int got = SSL_read(c->ssl, c->in + c->have, CHUNK);
        if (got <= 0) {
            want(c, got, "receiving");
            return;
        }
        c->have += got;
        size_t start = 0, length;
        uint8_t kind;
        while ((length = message(c, c->in + start, c->have - start, &kind))) {
            if (!strcmp(protocol, "nats") && !memcmp(c->in + start, "PING", 4)) SSL_write(c->ssl, "PONG\r\n", 6);
            start += length;
            // A watcher waits for the kind of answer that its last record names.
            if (c->answers && (c->kind == 0 || c->kind == kind) && --c->answers == 0) answered(c);
        }
        memmove(c->in, c->in + start, c->have -= start);
        // The load frees the buffers of idle connections: thousands of them would use memory that the peer
        // needs.
        if (!isRunning && c->have == 0) {
            free(c->in);
            c->in = NULL;
            c->room = 0;
        }
    }
}

static void shake(struct connection *c) {
    int result = SSL_connect(c->ssl);
    if (result != 1) return watch(c, want(c, result, "TLS") == SSL_ERROR_WANT_WRITE);
    c->isSecure = 1;
    openOn(c);
    receive(c);
}

// MARK: Opening

// One cipher for all but browsers' devices, and no session is resumed. The server's certificate isn't checked:
// the server is on this machine.
static void makeContext(void) {
    context = SSL_CTX_new(TLS_client_method());
    int version = strcmp(protocol, "lockstep-web") ? TLS1_3_VERSION : TLS1_2_VERSION;
    SSL_CTX_set_min_proto_version(context, version);
    SSL_CTX_set_max_proto_version(context, version);
    SSL_CTX_set_cipher_list(context, "ECDHE-ECDSA-CHACHA20-POLY1305");
    SSL_CTX_set_ciphersuites(context, "TLS_AES_128_GCM_SHA256");
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
    SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_RELEASE_BUFFERS);
    if (!strncmp(protocol, "lockstep", 8)) SSL_CTX_set_alpn_protos(context, (const uint8_t *)"\7focus/1", 8);
}

// Loads the key and certificate of the connection, or of all.
static void identify(struct connection *c) {
    static X509 *certificate;
    static EVP_PKEY *key;
    char path[4096];
    snprintf(path, sizeof path, "%s/client.pem", folder);
    int isShared = access(path, R_OK) == 0;
    if (!isShared) snprintf(path, sizeof path, "%s/%d.pem", folder, c->number);
    if (!isShared || certificate == NULL) {
        FILE *file = fopen(path, "r");
        certificate = file ? PEM_read_X509(file, NULL, NULL, NULL) : NULL;
        if (file) rewind(file);
        key = file ? PEM_read_PrivateKey(file, NULL, NULL, NULL) : NULL;
        if (certificate == NULL || key == NULL) fail("%s has no key and certificate", path);
        fclose(file);
    }
    c->certificate = certificate;
    c->key = key;
}

static void load(struct connection *c) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%d", folder, c->number);
    int file = open(path, O_RDONLY);
    struct stat info;
    if (file < 0 || fstat(file, &info) != 0) fail("%s can't be read", path);
    // A script that fills a log may be larger than the free memory, so it is mapped.
    if ((c->size = info.st_size) > 0) {
        c->file = mmap(NULL, c->size, PROT_READ, MAP_PRIVATE | (c->size < POPULATED ? MAP_POPULATE : 0), file, 0);
        if (c->file == MAP_FAILED) fail("%s can't be read: %s", path, strerror(errno));
    }
    close(file);
}

static void begin(int place) {
    struct connection *c = connections + place;
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(ports[place % servers])};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    ERR_clear_error();
    c->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct sockaddr_in own = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK + place / PORTS)};
    int on = 1;
    setsockopt(c->fd, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &on, sizeof on);
    if (bind(c->fd, (struct sockaddr *)&own, sizeof own) != 0) fail("an address: %s", strerror(errno));
    if (connect(c->fd, (struct sockaddr *)&address, sizeof address) != 0) fail("connecting: %s", strerror(errno));
    setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    struct record record;
    if (peek(c, &record) && record.type == 'T') {
        c->next += 10 + record.length;
        if (record.length && write(c->fd, record.bytes, record.length) < 0) fail("sending: %s", strerror(errno));
        char byte;
        do {
            if (read(c->fd, &byte, 1) != 1) fail("no answer in the clear");
        } while (record.kind && byte != record.kind);
    }
    fcntl(c->fd, F_SETFL, O_NONBLOCK);
    c->ssl = SSL_new(context);
    if (SSL_use_certificate(c->ssl, c->certificate) != 1 || SSL_use_PrivateKey(c->ssl, c->key) != 1)
        fail("connection %d's key can't be used", c->number);
    SSL_set_fd(c->ssl, c->fd);
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = c};
    epoll_ctl(loop, EPOLL_CTL_ADD, c->fd, &event);
    shake(c);
}

// MARK: At a rate

static void keepRate(void) {
    uint64_t due;
    if (read(timer, &due, sizeof due) != sizeof due) return;
    for (; due > 0; due--) {
        int tried = 0;
        struct record record;
        for (; tried < count; tried++) {
            struct connection *c = connections + nextSender++ % count;
            if (c->answers || c->left || c->unseen || !peek(c, &record)) continue;
            if (isPress) press(c);
            else take(c, &record);
            break;
        }
        if (tried == count) omitted++;
    }
}

// Reads a byte of the input, and records its end.
static void readInput(void) {
    char byte;
    hasEnded = read(0, &byte, 1) != 1;
}

static void beginRate(void) {
    timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
    struct timespec each = {.tv_sec = rate == 1, .tv_nsec = rate == 1 ? 0 : 1000000000L / rate};
    struct itimerspec often = {.it_interval = each, .it_value = each};
    timerfd_settime(timer, 0, &often, NULL);
    struct epoll_event tick = {.events = EPOLLIN, .data.ptr = &timer}, input = {.events = EPOLLIN, .data.ptr = &hasEnded};
    epoll_ctl(loop, EPOLL_CTL_ADD, timer, &tick);
    if (epoll_ctl(loop, EPOLL_CTL_ADD, 0, &input) != 0) fail("the input can't be waited for: %s", strerror(errno));
}

static void turn(void) {
    struct epoll_event events[256];
    int ready = epoll_wait(loop, events, 256, comersWaiting ? 100 : 60000);
    if (ready == 0 && comersWaiting == 0) fail("nothing came for a minute");
    for (double time = now(CLOCK_MONOTONIC); comersWaiting && comingAt[firstComer] <= time; comersWaiting--) {
        int comer = comers[firstComer];
        firstComer = (firstComer + 1) % count;
        begin(comer);
    }
    for (int i = 0; i < ready; i++) {
        if (events[i].data.ptr == &timer) {
            keepRate();
            continue;
        }
        if (events[i].data.ptr == &hasEnded) {
            readInput();
            continue;
        }
        struct connection *c = events[i].data.ptr;
        if (!c->isSecure) {
            shake(c);
            continue;
        }
        if (events[i].events & EPOLLOUT) flush(c);
        receive(c);
    }
}

// MARK: The run

static int order(const void *one, const void *other) {
    double a = *(const double *)one, b = *(const double *)other;
    return (a > b) - (a < b);
}

int main(int argc, char **argv) {
    if (argc < 6) fail("load merge|press|RATE PROTOCOL PORT[,PORT...] CONNECTIONS FOLDER [TEAM]");
    rate = atoi(argv[1]);
    protocol = argv[2];
    for (char *next = argv[3]; servers < SERVERS && *next;) {
        ports[servers++] = strtol(next, &next, 10);
        if (*next == ',') next++;
    }
    if (servers == 0) fail("no port");
    count = atoi(argv[4]);
    folder = argv[5];
    team = argc > 6 ? atoi(argv[6]) : 0;
    isPress = !strcmp(argv[1], "press") || (rate > 0 && team > 0);
    if (isPress && (team < 2 || count % team != 0)) fail("teams of %d don't go into %d connections", team, count);
    loop = epoll_create1(EPOLL_CLOEXEC);
    connections = calloc(count, sizeof *connections);
    comers = calloc(count, sizeof *comers);
    comingAt = calloc(count, sizeof *comingAt);
    signal(SIGPIPE, SIG_IGN);
    makeContext();
    for (int i = 0; i < count; i++) {
        connections[i].number = i;
        load(connections + i);
        identify(connections + i);
    }
    double began = now(CLOCK_MONOTONIC), worked = now(CLOCK_PROCESS_CPUTIME_ID);
    // The first connection may be open, and have begun another team, before the last of these begins.
    int first = team == 0 || count < OPENING * team ? count : OPENING * team;
    firstWaiting = first;
    for (int i = 0; i < first; i += team ? team : 1) begin(i);
    while (opened < count) turn();
    printf("ready %.6f %.6f %zu\n", now(CLOCK_MONOTONIC) - began, now(CLOCK_PROCESS_CPUTIME_ID) - worked, timesComeAgain);
    fflush(stdout);

    // Unbuffered: with a rate, the input is polled together with the connections.
    setbuf(stdin, NULL);
    char line[16];
    if (!fgets(line, sizeof line, stdin)) return 0;
    isRunning = 1;
    began = now(CLOCK_MONOTONIC);
    worked = now(CLOCK_PROCESS_CPUTIME_ID);
    if (rate > 0) beginRate();
    else if (isPress) press(connections);
    else
        for (int i = 0; i < count; i++) sendNext(connections + i);
    while (rate > 0 ? !hasEnded : finished < count) turn();
    double seconds = now(CLOCK_MONOTONIC) - began;
    worked = now(CLOCK_PROCESS_CPUTIME_ID) - worked;
    qsort(times, timesTaken, sizeof *times, order);
    printf("{\"seconds\": %.6f, \"worked\": %.6f, \"requests\": %zu, \"median\": %.9f, \"99\": %.9f, \"omitted\": %zu}\n", seconds, worked,
           timesTaken, timesTaken ? times[timesTaken / 2] : 0, timesTaken ? times[timesTaken * 99 / 100] : 0, omitted);
    fflush(stdout);
    while (fgets(line, sizeof line, stdin)) {}
    return 0;
}
