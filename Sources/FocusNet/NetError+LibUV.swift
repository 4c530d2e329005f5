import CLibUV

extension NetError {
    /// The error for a libuv status below zero; `doing` says what was tried, as in "listening on port 80".
    init(status: Int32, _ doing: String) {
        // The library's own words for this are "unknown node or service".
        let isNoName = status == UV_EAI_NONAME.rawValue || status == UV_EAI_NODATA.rawValue
        let problem = isNoName ? "no such host name" : String(cString: uv_strerror(status))
        self.init(Code(status: status), "\(doing): \(problem)")
    }

    /// The error for an `errno` of the C library.
    init(errno number: Int32, _ doing: String) {
        self.init(status: uv_translate_sys_error(number), doing)
    }

    /// Passes on a libuv status that says success; throws what any other says.
    static func check(_ status: Int32, _ doing: @autoclosure () -> String) throws(NetError) {
        if status < 0 { throw NetError(status: status, doing()) }
    }
}

extension NetError.Code {
    /// The kind that a libuv status below zero belongs to.
    init(status: Int32) {
        switch status {
        case UV_ECONNREFUSED.rawValue, UV_ENOENT.rawValue: self = .refused
        case UV_ENETUNREACH.rawValue, UV_EHOSTUNREACH.rawValue: self = .unreachable
        case UV_ETIMEDOUT.rawValue: self = .timedOut
        case UV_ECONNRESET.rawValue, UV_EPIPE.rawValue, UV_EOF.rawValue, UV_ECONNABORTED.rawValue:
            self = .closed
        case UV_EMFILE.rawValue: self = .noDescriptor
        case UV_ECANCELED.rawValue: self = .aborted
        case UV_EADDRINUSE.rawValue: self = .addressInUse
        case UV_EADDRNOTAVAIL.rawValue, UV_ENAMETOOLONG.rawValue, UV_EINVAL.rawValue: self = .badAddress
        case UV_EAI_NONAME.rawValue, UV_EAI_AGAIN.rawValue, UV_EAI_FAIL.rawValue, UV_EAI_NODATA.rawValue:
            self = .resolve
        default: self = .system
        }
    }
}
