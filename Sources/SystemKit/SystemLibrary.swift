// The system's library, to whoever imports this module: the one place that says which it is.
#if canImport(Glibc)
    @_exported public import Glibc
#else
    @_exported public import Darwin
#endif
