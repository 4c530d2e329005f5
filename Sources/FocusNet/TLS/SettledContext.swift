import COpenSSL
import Synchronization

/// Where a server's sessions go on once their handshakes are done, so that OpenSSL lets go of what only a handshake needs: the
/// TLS session, which nobody can resume here, and in it the client's certificate with its key. That is a third of what
/// OpenSSL holds for an idle connection.
///
/// OpenSSL has a call for it (`SSL_set_session` with none), but that one is made for clients that haven't begun. As long as a
/// session's context is of another method than the session, as it is wherever the version was agreed, the call sets the method
/// back to the context's and throws away what was agreed: OpenSSL 3.0 would go on without encryption. So a session is first
/// moved to a context of exactly the method that it has, and isn't touched where that can't be done.
///
/// A TLS 1.3 session of a server reads, writes, takes key updates, alerts and broken records without a TLS session: in 3.0
/// each place that uses one asks first whether it is there, or is about early data, a pre-shared key or an older version.
/// Other versions of the library keep theirs.
final class SettledContext: Sendable {
    private let library: TLSLibrary
    /// Nil until the first handshake is done, which says of which method it has to be.
    private let made = Mutex<ContextOwner?>(nil)

    init(_ library: TLSLibrary) { self.library = library }

    /// Has a server's session (`SSL *`) let go of what its handshake needed, which is done.
    ///
    /// - Returns: false where it has to keep that.
    @discardableResult
    func adopt(_ ssl: OpaquePointer) -> Bool {
        let tls = library.functions.pointee
        guard SettledContext.isRead(version: tls.OpenSSL_version_num()) else { return false }
        defer { tls.ERR_clear_error() }
        guard let method = tls.SSL_get_ssl_method(ssl),
            let context = try? context(of: method).context,
            tls.SSL_CTX_get_ssl_method(context) == method,
            tls.SSL_set_SSL_CTX(ssl, context) == context
        else { return false }
        return tls.SSL_set_session(ssl, nil) == 1
    }

    /// - Parameter method: `SSL_METHOD *`
    private func context(of method: OpaquePointer) throws(NetError) -> ContextOwner {
        try made.withLock { made throws(NetError) in
            if let made { return made }
            let context = try ContextOwner(library, of: method)
            made = context
            return context
        }
    }

    /// Whether it is a version whose source was read for this: 3.0, in all its releases, which get corrections only.
    static func isRead(version: UInt) -> Bool { version >> 20 == 0x300 }
}
