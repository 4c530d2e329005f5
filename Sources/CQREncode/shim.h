#pragma once
#ifndef __wasi__
#include <dlfcn.h>
#endif

// libqrencode's types and functions in use, declared here, so that no headers are needed. Its interface of version 4
// (libqrencode.so.4) doesn't change.

typedef struct QRcode {
    int version;
    int width;
    /// A byte for each module, row by row. Its lowest bit says whether the module is dark.
    unsigned char *_Nonnull data;
} QRcode;

enum { LOCKSTEP_QR_LEVEL_LOW = 0, LOCKSTEP_QR_MODE_BYTES = 2 };

extern QRcode *_Nullable QRcode_encodeString(
    const char *_Nonnull text, int version, int level, int mode, int isCaseSensitive);
extern void QRcode_free(QRcode *_Nullable code);

// In a browser's module the library is linked. Otherwise it isn't: a process opens it before it makes a code, and these
// declarations give the types of its functions.

/// The functions in use.
struct lockstep_qrencode {
    __typeof__(QRcode_encodeString) *_Nonnull QRcode_encodeString;
    __typeof__(QRcode_free) *_Nonnull QRcode_free;
};

#ifdef __wasi__
/// Returns the linked functions.
static inline struct lockstep_qrencode lockstep_qrencode_linked(void) {
    return (struct lockstep_qrencode){ QRcode_encodeString, QRcode_free };
}
#else
/// Finds all functions in a library that dlopen(3) has opened. Returns false if one is missing; dlerror(3)
/// then has the reason.
static inline _Bool lockstep_qrencode_find(
    void *_Nonnull library, struct lockstep_qrencode *_Nonnull functions) {
    void *encode = dlsym(library, "QRcode_encodeString");
    void *release = encode ? dlsym(library, "QRcode_free") : 0;
    if (!release) return 0;
    functions->QRcode_encodeString = (__typeof__(QRcode_encodeString) *)encode;
    functions->QRcode_free = (__typeof__(QRcode_free) *)release;
    return 1;
}
#endif
