#pragma once
#include <dlfcn.h>
#include <sys/types.h>
#include <sys/socket.h>
#include <microhttpd.h>

// The library isn't linked: a process opens it before it serves. These declarations give the types of its
// functions.

#define LOCKSTEP_HTTP_FUNCTIONS(each) \
    each(MHD_start_daemon) \
    each(MHD_stop_daemon) \
    each(MHD_run) \
    each(MHD_get_timeout) \
    each(MHD_get_daemon_info) \
    each(MHD_get_connection_info) \
    each(MHD_get_connection_values_n) \
    each(MHD_suspend_connection) \
    each(MHD_resume_connection) \
    each(MHD_queue_response) \
    each(MHD_create_response_from_buffer) \
    each(MHD_create_response_from_callback) \
    each(MHD_create_response_for_upgrade) \
    each(MHD_upgrade_action) \
    each(MHD_add_response_header) \
    each(MHD_destroy_response)

/// The functions in use, found in the opened library.
struct lockstep_http {
#define LOCKSTEP_HTTP_FIELD(name) __typeof__(name) *_Nonnull name;
    LOCKSTEP_HTTP_FUNCTIONS(LOCKSTEP_HTTP_FIELD)
#undef LOCKSTEP_HTTP_FIELD
};

/// Finds all functions in a library that dlopen(3) has opened. Returns false if one is missing; dlerror(3)
/// then has the reason.
static inline _Bool lockstep_http_find(void *_Nonnull library, struct lockstep_http *_Nonnull http) {
    void *found;
#define LOCKSTEP_HTTP_FIND(name) \
    if (!(found = dlsym(library, #name))) return 0; \
    http->name = (__typeof__(name) *)found;
    LOCKSTEP_HTTP_FUNCTIONS(LOCKSTEP_HTTP_FIND)
#undef LOCKSTEP_HTTP_FIND
    return 1;
}

// Wrappers of variadic functions and of unions, which Swift can't use.

/// Starts a server at a listening socket. The caller polls `lockstep_http_poll` to drive it. The server
/// closes the socket when it stops. Returns null if memory or descriptors are missing.
static inline struct MHD_Daemon *_Nullable lockstep_http_start(
    struct lockstep_http http, int listener, unsigned int connections, unsigned int seconds, size_t memory,
    MHD_AcceptPolicyCallback _Nonnull admit, MHD_AccessHandlerCallback _Nonnull answer,
    MHD_RequestCompletedCallback _Nonnull completed, MHD_NotifyConnectionCallback _Nonnull noted,
    void *_Nonnull context) {
    return http.MHD_start_daemon(
        MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME | MHD_ALLOW_UPGRADE, 0, admit, context, answer, context,
        MHD_OPTION_LISTEN_SOCKET, listener, MHD_OPTION_CONNECTION_LIMIT, connections,
        MHD_OPTION_CONNECTION_TIMEOUT, seconds, MHD_OPTION_CONNECTION_MEMORY_LIMIT, memory,
        MHD_OPTION_NOTIFY_COMPLETED, completed, context, MHD_OPTION_NOTIFY_CONNECTION, noted, context,
        MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_END);
}

/// Returns the descriptor that becomes readable when the server has work to do; -1 if there is none.
static inline int lockstep_http_poll(struct lockstep_http http, struct MHD_Daemon *_Nonnull server) {
    const union MHD_DaemonInfo *info = http.MHD_get_daemon_info(server, MHD_DAEMON_INFO_EPOLL_FD);
    return info ? info->epoll_fd : -1;
}

/// Returns the socket of a connection; -1 if there is none.
static inline int lockstep_http_socket(struct lockstep_http http, struct MHD_Connection *_Nonnull connection) {
    const union MHD_ConnectionInfo *info =
        http.MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    return info ? info->connect_fd : -1;
}

/// Ends libmicrohttpd's use of an upgraded connection. It closes its descriptor of the socket in its next run.
static inline void lockstep_http_end_upgrade(
    struct lockstep_http http, struct MHD_UpgradeResponseHandle *_Nonnull handle) {
    http.MHD_upgrade_action(handle, MHD_UPGRADE_ACTION_CLOSE);
}
