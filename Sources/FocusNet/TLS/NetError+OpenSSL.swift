import COpenSSL

extension NetError {
    /// The error for what OpenSSL's queue says, which is empty afterwards. `fallback` is the kind where the queue
    /// says nothing more precise.
    static func openSSL(_ fallback: Code, _ doing: String) -> NetError {
        var code = fallback
        var reasons: [String] = []
        while true {
            let number = ERR_get_error()
            if number == 0 { break }
            if reasons.isEmpty, let precise = Code(reason: ERR_GET_REASON(number)) { code = precise }
            if let text = ERR_reason_error_string(number) { reasons.append(String(cString: text)) }
            if ERR_GET_REASON(number) == SSL_R_PEER_DID_NOT_RETURN_A_CERTIFICATE {
                // As a client does that has one with another key, since nothing else was asked for.
                reasons.append(TLSSession.wantedKey)
            }
        }
        let said = reasons.isEmpty ? "" : ": " + reasons.joined(separator: "; ")
        return NetError(code, doing + said)
    }
}

extension NetError.Code {
    /// The kind that one of OpenSSL's SSL reasons stands for by itself; nil where it is TLS trouble like any other.
    fileprivate init?(reason: Int32) {
        switch reason {
        case SSL_R_TLSV1_ALERT_NO_APPLICATION_PROTOCOL, SSL_R_NO_APPLICATION_PROTOCOL: self = .alpnMismatch
        case SSL_R_TLSV13_ALERT_CERTIFICATE_REQUIRED, SSL_R_SSLV3_ALERT_BAD_CERTIFICATE,
            SSL_R_SSLV3_ALERT_CERTIFICATE_UNKNOWN, SSL_R_TLSV1_ALERT_UNKNOWN_CA,
            SSL_R_TLSV1_ALERT_ACCESS_DENIED:
            self = .peerRejected
        default: return nil
        }
    }
}
