import CQREncode

extension QRCode {
    /// Returns the functions of libqrencode, which is linked.
    static func library() throws(Failure) -> lockstep_qrencode { lockstep_qrencode_linked() }
}
