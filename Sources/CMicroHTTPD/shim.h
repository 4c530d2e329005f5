#pragma once
#include <sys/types.h>
#include <sys/socket.h>
#include <microhttpd.h>

// What libmicrohttpd takes or gives by variable arguments, which Swift can't call.

/// Starts a server at a socket that listens, driven by whoever polls `lockstep_http_poll`; null where there is no memory
/// or descriptor for it. It closes the socket as it stops.
static inline struct MHD_Daemon *lockstep_http_start(
    int listener, unsigned int connections, unsigned int seconds, size_t memory, MHD_AcceptPolicyCallback admit,
    MHD_AccessHandlerCallback answer, MHD_RequestCompletedCallback completed, MHD_NotifyConnectionCallback noted,
    void *context) {
    return MHD_start_daemon(
        MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME, 0, admit, context, answer, context,
        MHD_OPTION_LISTEN_SOCKET, listener, MHD_OPTION_CONNECTION_LIMIT, connections,
        MHD_OPTION_CONNECTION_TIMEOUT, seconds, MHD_OPTION_CONNECTION_MEMORY_LIMIT, memory,
        MHD_OPTION_NOTIFY_COMPLETED, completed, context, MHD_OPTION_NOTIFY_CONNECTION, noted, context,
        MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_END);
}

/// The descriptor that can be read as soon as the server has something to do; -1 where there is none.
static inline int lockstep_http_poll(struct MHD_Daemon *server) {
    const union MHD_DaemonInfo *info = MHD_get_daemon_info(server, MHD_DAEMON_INFO_EPOLL_FD);
    return info ? info->epoll_fd : -1;
}

/// The socket of a connection; -1 where there is none.
static inline int lockstep_http_socket(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    return info ? info->connect_fd : -1;
}

/// What was noted of a connection as it began; null where nothing was.
static inline void *lockstep_http_note(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return info ? info->socket_context : 0;
}
