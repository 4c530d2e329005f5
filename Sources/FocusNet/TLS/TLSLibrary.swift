import COpenSSL
import Synchronization
import SystemKit

/// OpenSSL's libssl with libcrypto, which are opened as the first context is made: a command that reaches no server needs
/// neither.
///
/// `@unchecked Sendable`: its functions are written down before anybody else sees where, and stay as they are.
struct TLSLibrary: @unchecked Sendable {
    /// What is called of it.
    let functions: UnsafePointer<lockstep_tls>

    /// The address at which its functions were written down; 0 until then.
    private static let address = Atomic<UInt>(0)

    private static var found: UnsafePointer<lockstep_tls>? {
        UnsafePointer(bitPattern: address.load(ordering: .acquiring))
    }

    /// The functions, for what OpenSSL itself calls: whoever had it do so has opened the library.
    static var calledBack: lockstep_tls? { found?.pointee }

    /// The library, opened.
    ///
    /// - Throws: `.noLibrary` where it isn't there. It is tried again next time: there may have been no descriptor for it.
    static func opened() throws(NetError) -> TLSLibrary {
        if let found { return TLSLibrary(functions: found) }
        do throws(SharedLibrary.Failure) {
            let library = try SharedLibrary("libssl.so.3")
            return TLSLibrary(functions: try library.functions(at: address, lockstep_tls_find))
        } catch {
            throw NetError(
                .noLibrary, "reaching a server takes OpenSSL (Debian's package libssl3): \(error.reason)")
        }
    }
}
