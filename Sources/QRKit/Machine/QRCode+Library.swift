import CQREncode
import SystemKit

extension QRCode {
    /// Returns the functions of libqrencode. The library is opened for the first code only.
    static func library() throws(Failure) -> lockstep_qrencode {
        do throws(SharedLibrary.Failure) {
            return try SharedLibrary("libqrencode.so.4").functions(lockstep_qrencode_find)
        } catch {
            throw .noLibrary(error.reason)
        }
    }
}
