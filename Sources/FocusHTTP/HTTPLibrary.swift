import CMicroHTTPD
import FocusNet
import SystemKit

extension lockstep_http {
    /// What is called of libmicrohttpd, which is opened as the first server begins: it brings GnuTLS and eight more, and
    /// hardly any command serves.
    ///
    /// - Throws: `.noLibrary` where it isn't there.
    static func opened() throws(NetError) -> lockstep_http {
        do throws(SharedLibrary.Failure) {
            return try SharedLibrary("libmicrohttpd.so.12").functions(lockstep_http_find)
        } catch {
            throw NetError(
                .noLibrary,
                "serving HTTP takes libmicrohttpd (Debian's package libmicrohttpd12): \(error.reason)")
        }
    }
}
