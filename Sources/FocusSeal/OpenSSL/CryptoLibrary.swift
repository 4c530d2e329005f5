import COpenSSL
import Synchronization
import SystemKit

/// Where what is called of OpenSSL's libcrypto stands. It is handed on as that: copying all of it for a call would take longer
/// than some calls do.
typealias CryptoFunctions = UnsafePointer<lockstep_crypto>

/// OpenSSL's libcrypto, which is opened as something is first hashed, sealed or drawn at random: whoever only shows what is
/// in the log needs nothing of it, and would wait longer for it than for all the rest.
///
/// `@unchecked Sendable`: its functions are written down before anybody else sees where, and stay as they are.
struct CryptoLibrary: @unchecked Sendable {
    /// What is called of it.
    let functions: CryptoFunctions

    /// The address at which its functions were written down; 0 until then.
    private static let address = Atomic<UInt>(0)

    /// The library, opened.
    ///
    /// - Throws: `SealError.Code.library` where it isn't there. It is tried again next time: there may have been no descriptor
    ///   for it.
    static func opened() throws(SealError) -> CryptoLibrary {
        if let found = CryptoFunctions(bitPattern: address.load(ordering: .acquiring)) {
            return CryptoLibrary(functions: found)
        }
        return CryptoLibrary(functions: try open())
    }

    private static func open() throws(SealError) -> CryptoFunctions {
        do throws(SharedLibrary.Failure) {
            return try SharedLibrary("libcrypto.so.3").functions(at: address, lockstep_crypto_find)
        } catch {
            throw SealError(
                .library, "keys and hashes take OpenSSL (Debian's package libssl3): \(error.reason)")
        }
    }
}
