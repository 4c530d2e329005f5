import CMicroHTTPD
import FocusNet
import SystemKit

extension lockstep_http {
    /// Opens libmicrohttpd and returns its functions. It is opened when the first server starts, because it
    /// loads GnuTLS and eight more libraries, and few commands serve.
    ///
    /// - Throws: `.noLibrary` if it can't be opened.
    static func opened() throws(NetError) -> lockstep_http {
        do throws(SharedLibrary.Failure) {
            return try SharedLibrary("libmicrohttpd.so.12").functions(lockstep_http_find)
        } catch {
            throw NetError(
                .noLibrary,
                "serving HTTP needs libmicrohttpd (Debian's package libmicrohttpd12): \(error.reason)")
        }
    }
}
