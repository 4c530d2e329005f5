#if canImport(Glibc)
    /// The kind of socket that carries a stream.
    package let streamSocket = Int32(SOCK_STREAM.rawValue)
    /// The kind of socket that carries messages, each for itself.
    package let datagramSocket = Int32(SOCK_DGRAM.rawValue)
#else
    /// The kind of socket that carries a stream.
    package let streamSocket = SOCK_STREAM
    /// The kind of socket that carries messages, each for itself.
    package let datagramSocket = SOCK_DGRAM
#endif
