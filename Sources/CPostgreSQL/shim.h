#pragma once
#include <dlfcn.h>
#include <stddef.h>
#include <postgresql/libpq-fe.h>

// The library isn't linked: a process opens it before it connects. These declarations give the types of its
// functions.

#define LOCKSTEP_PQ_FUNCTIONS(each) \
    each(PQconninfoParse) \
    each(PQconninfoFree) \
    each(PQfreemem) \
    each(PQconnectdbParams) \
    each(PQfinish) \
    each(PQstatus) \
    each(PQerrorMessage) \
    each(PQsocket) \
    each(PQsetnonblocking) \
    each(PQsetNoticeReceiver) \
    each(PQtransactionStatus) \
    each(PQenterPipelineMode) \
    each(PQpipelineSync) \
    each(PQsendPrepare) \
    each(PQsendQueryPrepared) \
    each(PQsendQueryParams) \
    each(PQbackendPID) \
    each(PQflush) \
    each(PQconsumeInput) \
    each(PQisBusy) \
    each(PQgetResult) \
    each(PQclear) \
    each(PQnotifies) \
    each(PQresultStatus) \
    each(PQresultErrorField) \
    each(PQcmdStatus) \
    each(PQcmdTuples) \
    each(PQntuples) \
    each(PQnfields) \
    each(PQgetisnull) \
    each(PQgetvalue) \
    each(PQgetlength)

/// The functions in use, found in the opened library.
struct lockstep_pq {
#define LOCKSTEP_PQ_FIELD(name) __typeof__(name) *_Nonnull name;
    LOCKSTEP_PQ_FUNCTIONS(LOCKSTEP_PQ_FIELD)
#undef LOCKSTEP_PQ_FIELD
};

/// Finds all functions in a library that dlopen(3) has opened. Returns false if one is missing; dlerror(3)
/// then has the reason.
static inline _Bool lockstep_pq_find(void *_Nonnull library, struct lockstep_pq *_Nonnull pq) {
    void *found;
#define LOCKSTEP_PQ_FIND(name) \
    if (!(found = dlsym(library, #name))) return 0; \
    pq->name = (__typeof__(name) *)found;
    LOCKSTEP_PQ_FUNCTIONS(LOCKSTEP_PQ_FIND)
#undef LOCKSTEP_PQ_FIND
    return 1;
}

// Macros in a form that Swift doesn't import.

/// The fields of a result that say how severe an error is and what went wrong.
enum lockstep_pq_field {
    lockstep_pq_severity = PG_DIAG_SEVERITY_NONLOCALIZED,
    lockstep_pq_state = PG_DIAG_SQLSTATE,
    lockstep_pq_message = PG_DIAG_MESSAGE_PRIMARY,
};

/// A record of whether a connection has received a warning.
struct lockstep_pq_warnings {
    char *(*_Nonnull field)(const PGresult *, int);
    _Bool came;
};

/// Records a warning. It is passed to PQsetNoticeReceiver with a `lockstep_pq_warnings`.
static void lockstep_pq_notice(void *_Nullable noted, const PGresult *_Nullable result) {
    struct lockstep_pq_warnings *warnings = noted;
    const char *severity = warnings->field(result, PG_DIAG_SEVERITY_NONLOCALIZED);
    if (severity && severity[0] == 'W') warnings->came = 1;
}

static inline void lockstep_pq_watch(
    struct lockstep_pq pq, PGconn *_Nonnull connection, struct lockstep_pq_warnings *_Nonnull warnings) {
    warnings->field = pq.PQresultErrorField;
    warnings->came = 0;
    pq.PQsetNoticeReceiver(connection, lockstep_pq_notice, warnings);
}
