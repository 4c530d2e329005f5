#pragma once
#include <dlfcn.h>

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

// The library isn't linked: a process opens it before it makes a code. These declarations give the types of its
// functions.

/// The functions in use, found in the opened library.
struct lockstep_qrencode {
    __typeof__(QRcode_encodeString) *_Nonnull QRcode_encodeString;
    __typeof__(QRcode_free) *_Nonnull QRcode_free;
};

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
