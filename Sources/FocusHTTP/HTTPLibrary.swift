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
            let library = try SharedLibrary("libmicrohttpd.so.12")
            let functions = UnsafeMutablePointer<lockstep_http>.allocate(capacity: 1)
            defer { functions.deallocate() }
            guard lockstep_http_find(library.handle, functions) else { throw SharedLibrary.Failure() }
            return functions.pointee
        } catch {
            throw NetError(
                .noLibrary,
                "serving HTTP takes libmicrohttpd (Debian's package libmicrohttpd12): \(error.reason)")
        }
    }
}
