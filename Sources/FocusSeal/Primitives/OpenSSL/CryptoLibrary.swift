import COpenSSL
import Synchronization
import SystemKit

/// A pointer to the libcrypto functions that this project calls. It is a pointer because copying the whole
/// table for a call would take longer than some calls do.
typealias CryptoFunctions = UnsafePointer<lockstep_crypto>

/// OpenSSL's libcrypto. It is opened at the first hash, sealing or random number: a command that only shows
/// the log doesn't need it, and opening it takes longer than the rest of such a command.
///
/// `@unchecked Sendable`: its functions are stored before another thread can see their address, and never
/// change after that.
struct CryptoLibrary: @unchecked Sendable {
    /// The functions of the library that this project calls.
    let functions: CryptoFunctions

    /// The address of the stored functions; 0 before the library is opened.
    private static let address = Atomic<UInt>(0)

    /// Opens the library if it isn't open yet, and returns it.
    ///
    /// - Throws: `SealError.Code.library` if it can't be opened. The next call tries again, because the
    ///   reason may have been a lack of descriptors.
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
                .library, "keys and hashes need OpenSSL (Debian's package libssl3): \(error.reason)")
        }
    }
}
