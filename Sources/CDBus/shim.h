#pragma once
#include <dlfcn.h>

// libdbus' types and functions in use, declared here: its headers are found only by flags of pkg-config, which
// would also link the library. Its interface of version 1 (libdbus-1.so.3) doesn't change.

typedef struct DBusConnection DBusConnection;
typedef struct DBusMessage DBusMessage;
// No caller asks for the description of an error.
typedef struct DBusError DBusError;

typedef struct DBusMessageIter {
    void *_Nullable dummy1;
    void *_Nullable dummy2;
    unsigned int dummy3;
    int dummy4;
    int dummy5;
    int dummy6;
    int dummy7;
    int dummy8;
    int dummy9;
    int dummy10;
    int dummy11;
    int pad1;
    void *_Nullable pad2;
    void *_Nullable pad3;
} DBusMessageIter;

extern void dbus_free(void *_Nullable memory);

extern DBusConnection *_Nullable dbus_connection_open_private(
    const char *_Nonnull address, DBusError *_Nullable error);
extern void dbus_connection_set_exit_on_disconnect(DBusConnection *_Nonnull connection, unsigned int exits);
extern void dbus_connection_set_max_message_size(DBusConnection *_Nonnull connection, long size);
extern void dbus_connection_set_max_received_size(DBusConnection *_Nonnull connection, long size);
extern unsigned int dbus_connection_get_unix_fd(DBusConnection *_Nonnull connection, int *_Nonnull fd);
extern unsigned int dbus_connection_read_write(DBusConnection *_Nonnull connection, int timeout);
extern unsigned int dbus_connection_get_dispatch_status(DBusConnection *_Nonnull connection);
extern DBusMessage *_Nullable dbus_connection_pop_message(DBusConnection *_Nonnull connection);
extern unsigned int dbus_connection_send(
    DBusConnection *_Nonnull connection, DBusMessage *_Nonnull message, unsigned int *_Nullable serial);
extern unsigned int dbus_connection_has_messages_to_send(DBusConnection *_Nonnull connection);
extern long dbus_connection_get_outgoing_size(DBusConnection *_Nonnull connection);
extern unsigned int dbus_connection_get_is_connected(DBusConnection *_Nonnull connection);
extern void dbus_connection_close(DBusConnection *_Nonnull connection);
extern void dbus_connection_unref(DBusConnection *_Nonnull connection);

extern DBusMessage *_Nullable dbus_message_new_method_call(
    const char *_Nullable destination, const char *_Nonnull path, const char *_Nullable interface,
    const char *_Nonnull method);
extern DBusMessage *_Nullable dbus_message_new_signal(
    const char *_Nonnull path, const char *_Nonnull interface, const char *_Nonnull name);
extern DBusMessage *_Nullable dbus_message_new(int type);
extern unsigned int dbus_message_set_reply_serial(DBusMessage *_Nonnull message, unsigned int serial);
extern unsigned int dbus_message_set_destination(
    DBusMessage *_Nonnull message, const char *_Nullable destination);
extern unsigned int dbus_message_set_error_name(DBusMessage *_Nonnull message, const char *_Nullable name);
extern void dbus_message_set_no_reply(DBusMessage *_Nonnull message, unsigned int isUnanswered);
extern void dbus_message_unref(DBusMessage *_Nonnull message);
extern int dbus_message_get_type(DBusMessage *_Nonnull message);
extern unsigned int dbus_message_get_no_reply(DBusMessage *_Nonnull message);
extern unsigned int dbus_message_get_serial(DBusMessage *_Nonnull message);
extern unsigned int dbus_message_get_reply_serial(DBusMessage *_Nonnull message);
extern const char *_Nullable dbus_message_get_path(DBusMessage *_Nonnull message);
extern const char *_Nullable dbus_message_get_interface(DBusMessage *_Nonnull message);
extern const char *_Nullable dbus_message_get_member(DBusMessage *_Nonnull message);
extern const char *_Nullable dbus_message_get_sender(DBusMessage *_Nonnull message);
extern const char *_Nullable dbus_message_get_error_name(DBusMessage *_Nonnull message);

extern unsigned int dbus_message_iter_init(DBusMessage *_Nonnull message, DBusMessageIter *_Nonnull iter);
extern int dbus_message_iter_get_arg_type(DBusMessageIter *_Nonnull iter);
extern int dbus_message_iter_get_element_type(DBusMessageIter *_Nonnull iter);
extern char *_Nullable dbus_message_iter_get_signature(DBusMessageIter *_Nonnull iter);
extern unsigned int dbus_message_iter_next(DBusMessageIter *_Nonnull iter);
extern void dbus_message_iter_recurse(DBusMessageIter *_Nonnull iter, DBusMessageIter *_Nonnull inner);
extern void dbus_message_iter_get_basic(DBusMessageIter *_Nonnull iter, void *_Nonnull value);
extern void dbus_message_iter_get_fixed_array(
    DBusMessageIter *_Nonnull iter, void *_Nonnull values, int *_Nonnull count);

extern void dbus_message_iter_init_append(DBusMessage *_Nonnull message, DBusMessageIter *_Nonnull iter);
extern unsigned int dbus_message_iter_append_basic(
    DBusMessageIter *_Nonnull iter, int type, const void *_Nonnull value);
extern unsigned int dbus_message_iter_append_fixed_array(
    DBusMessageIter *_Nonnull iter, int type, const void *_Nonnull values, int count);
extern unsigned int dbus_message_iter_open_container(
    DBusMessageIter *_Nonnull iter, int type, const char *_Nullable signature,
    DBusMessageIter *_Nonnull inner);
extern unsigned int dbus_message_iter_close_container(
    DBusMessageIter *_Nonnull iter, DBusMessageIter *_Nonnull inner);
extern void dbus_message_iter_abandon_container(
    DBusMessageIter *_Nonnull iter, DBusMessageIter *_Nonnull inner);

extern unsigned int dbus_validate_path(const char *_Nonnull path, DBusError *_Nullable error);
extern unsigned int dbus_validate_interface(const char *_Nonnull name, DBusError *_Nullable error);
extern unsigned int dbus_validate_member(const char *_Nonnull name, DBusError *_Nullable error);
extern unsigned int dbus_validate_bus_name(const char *_Nonnull name, DBusError *_Nullable error);
extern unsigned int dbus_validate_error_name(const char *_Nonnull name, DBusError *_Nullable error);
extern unsigned int dbus_signature_validate(const char *_Nonnull signature, DBusError *_Nullable error);

// The library isn't linked: a process opens it before it uses a bus. These declarations give the types of its
// functions.

#define LOCKSTEP_DBUS_FUNCTIONS(each) \
    each(dbus_free) \
    each(dbus_connection_open_private) \
    each(dbus_connection_set_exit_on_disconnect) \
    each(dbus_connection_set_max_message_size) \
    each(dbus_connection_set_max_received_size) \
    each(dbus_connection_get_unix_fd) \
    each(dbus_connection_read_write) \
    each(dbus_connection_get_dispatch_status) \
    each(dbus_connection_pop_message) \
    each(dbus_connection_send) \
    each(dbus_connection_has_messages_to_send) \
    each(dbus_connection_get_outgoing_size) \
    each(dbus_connection_get_is_connected) \
    each(dbus_connection_close) \
    each(dbus_connection_unref) \
    each(dbus_message_new_method_call) \
    each(dbus_message_new_signal) \
    each(dbus_message_new) \
    each(dbus_message_set_reply_serial) \
    each(dbus_message_set_destination) \
    each(dbus_message_set_error_name) \
    each(dbus_message_set_no_reply) \
    each(dbus_message_unref) \
    each(dbus_message_get_type) \
    each(dbus_message_get_no_reply) \
    each(dbus_message_get_serial) \
    each(dbus_message_get_reply_serial) \
    each(dbus_message_get_path) \
    each(dbus_message_get_interface) \
    each(dbus_message_get_member) \
    each(dbus_message_get_sender) \
    each(dbus_message_get_error_name) \
    each(dbus_message_iter_init) \
    each(dbus_message_iter_get_arg_type) \
    each(dbus_message_iter_get_element_type) \
    each(dbus_message_iter_get_signature) \
    each(dbus_message_iter_next) \
    each(dbus_message_iter_recurse) \
    each(dbus_message_iter_get_basic) \
    each(dbus_message_iter_get_fixed_array) \
    each(dbus_message_iter_init_append) \
    each(dbus_message_iter_append_basic) \
    each(dbus_message_iter_append_fixed_array) \
    each(dbus_message_iter_open_container) \
    each(dbus_message_iter_close_container) \
    each(dbus_message_iter_abandon_container) \
    each(dbus_validate_path) \
    each(dbus_validate_interface) \
    each(dbus_validate_member) \
    each(dbus_validate_bus_name) \
    each(dbus_validate_error_name) \
    each(dbus_signature_validate)

/// The functions in use, found in the opened library.
struct lockstep_dbus {
#define LOCKSTEP_DBUS_FIELD(name) __typeof__(name) *_Nonnull name;
    LOCKSTEP_DBUS_FUNCTIONS(LOCKSTEP_DBUS_FIELD)
#undef LOCKSTEP_DBUS_FIELD
};

/// Finds all functions in a library that dlopen(3) has opened. Returns false if one is missing; dlerror(3)
/// then has the reason.
static inline _Bool lockstep_dbus_find(void *_Nonnull library, struct lockstep_dbus *_Nonnull dbus) {
    void *found;
#define LOCKSTEP_DBUS_FIND(name) \
    if (!(found = dlsym(library, #name))) return 0; \
    dbus->name = (__typeof__(name) *)found;
    LOCKSTEP_DBUS_FUNCTIONS(LOCKSTEP_DBUS_FIND)
#undef LOCKSTEP_DBUS_FIND
    return 1;
}
