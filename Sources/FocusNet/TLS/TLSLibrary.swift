import COpenSSL
import Synchronization
import SystemKit

/// OpenSSL's libssl with libcrypto. They are opened when the first context is made, so that a command that
/// reaches no server needs neither.
///
/// `@unchecked Sendable`: its functions are stored before another thread can see their address, and never
/// change after that.
struct TLSLibrary: @unchecked Sendable {
    /// The functions of the library that this project calls.
    let functions: UnsafePointer<lockstep_tls>

    /// The address of the stored functions; 0 before the library is opened.
    private static let address = Atomic<UInt>(0)

    private static var found: UnsafePointer<lockstep_tls>? {
        UnsafePointer(bitPattern: address.load(ordering: .acquiring))
    }

    /// The functions of the open library, for OpenSSL's callbacks. Not nil in a callback, because the code
    /// that registered it opened the library.
    static var openedFunctions: lockstep_tls? { found?.pointee }

    /// Opens the library if it isn't open yet, and returns it.
    ///
    /// - Throws: `.noLibrary` if it can't be opened. The next call tries again, because the reason may have
    ///   been a lack of descriptors.
    static func opened() throws(NetError) -> TLSLibrary {
        if let found { return TLSLibrary(functions: found) }
        do throws(SharedLibrary.Failure) {
            let library = try SharedLibrary("libssl.so.3")
            return TLSLibrary(functions: try library.functions(at: address, lockstep_tls_find))
        } catch {
            throw NetError(
                .noLibrary, "reaching a server needs OpenSSL (Debian's package libssl3): \(error.reason)")
        }
    }
}
