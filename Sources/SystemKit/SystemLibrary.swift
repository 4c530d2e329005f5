// The system's C library, exported to all importers of this module. This is the only place that names it.
#if canImport(Glibc)
    @_exported public import Glibc
#else
    @_exported public import Darwin
#endif
