import CPostgreSQL
import SystemKit

/// The address of a database and the options for connecting: a URI in libpq's form
/// (<https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-CONNSTRING>), which may name several
/// hosts.
///
/// The defaults are safe: a host's certificate must match its name, and of several hosts libpq picks one that
/// accepts writes.
public struct PostgreSQLAddress: Hashable, Sendable {
    /// The URI, including its password if it has one.
    private let uri: String

    /// The prefixes of an address.
    private static let schemes = ["postgresql://", "postgres://"]

    /// The address in `uri`. Nil if `uri` has none of the prefixes, or if its password can't be told apart
    /// from its other parts: libpq might take a part of the password for a host, and print it. A character
    /// with a meaning in URIs must be percent-encoded. Other mistakes are found when connecting.
    package init?(_ uri: String) {
        guard let scheme = PostgreSQLAddress.schemes.first(where: uri.hasPrefix),
            uri.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { return nil }
        let rest = uri.dropFirst(scheme.count)
        let authority = rest.prefix { $0 != "/" && $0 != "?" }
        let parts = authority.split(separator: "@", omittingEmptySubsequences: false)
        guard parts.count <= 2, !rest[authority.endIndex...].contains("@"), let hosts = parts.last,
            hosts.split(separator: ",").allSatisfy(PostgreSQLAddress.isHost)
        else { return nil }
        self.uri = uri
    }

    /// Whether a text is a host, with or without a port.
    private static func isHost(_ text: Substring) -> Bool {
        let port = text.contains("]") ? text.drop { $0 != "]" }.dropFirst() : text.drop { $0 != ":" }
        guard let colon = port.first else { return true }
        return colon == ":" && port.dropFirst().utf8.allSatisfy { (0x30...0x39).contains($0) }
    }

    /// Whether the URI has a password, so that it must not be shown.
    package var hasPassword: Bool { shown != uri }

    /// The address with `***` in place of each password.
    package var shown: String {
        guard let start = uri.firstRange(of: "://")?.upperBound else { return "***" }
        let authority = uri[start...].prefix { $0 != "/" && $0 != "?" }
        var rest = uri[authority.endIndex...]
        var text = String(uri[..<start])
        if let at = authority.lastIndex(of: "@") {
            let user = authority[..<at]
            text += user.firstIndex(of: ":").map { "\(user[..<$0]):***" } ?? String(user)
            text += authority[at...]
        } else {
            text += authority
        }
        guard let query = rest.firstIndex(of: "?") else { return text + rest }
        text += rest[...query]
        rest = rest[rest.index(after: query)...]
        let parts = rest.split(separator: "&", omittingEmptySubsequences: false).map { part in
            let name = part.prefix { $0 != "=" }
            // A name with a percent sign may be `password` in another spelling.
            return name.contains("%") || name.hasSuffix("password") ? "\(name)=***" : String(part)
        }
        return text + parts.joined(separator: "&")
    }

    /// The connection options that apply unless the URI sets them. With these, the connection to a server
    /// that stops answering ends after about ten seconds.
    private static let defaults: [(name: String, value: String)] = [
        ("target_session_attrs", "read-write"), ("sslmode", "verify-full"), ("connect_timeout", "5"),
        ("application_name", "focusd"), ("keepalives_idle", "5"), ("keepalives_interval", "2"),
        ("keepalives_count", "3"), ("tcp_user_timeout", "10000"),
    ]

    /// Returns the connection options under libpq's names.
    ///
    /// - Throws: `.address` if the URI can't be parsed. libpq's message isn't passed on because it may hold a
    ///   part of a password.
    func parameters(_ library: lockstep_pq) throws(PostgreSQLError) -> [(name: String, value: String)] {
        var message: UnsafeMutablePointer<CChar>?
        guard let options = library.PQconninfoParse(uri, &message) else {
            library.PQfreemem(message)
            throw PostgreSQLError(.address, "the address of the database can't be understood")
        }
        defer { library.PQconninfoFree(options) }
        var given: [(name: String, value: String)] = []
        var option = options
        while let name = option.pointee.keyword {
            if let value = option.pointee.val {
                given.append((String(cString: name), String(cString: value)))
            }
            option += 1
        }
        let names = Set(given.map(\.name))
        var all = given + PostgreSQLAddress.defaults.filter { !names.contains($0.name) }
        // By default libpq reads certificate authorities only from `~/.postgresql/root.crt`. Before version
        // 16 it has no option for the system's authorities.
        let isVerified = all.last { $0.name == "sslmode" }?.value.hasPrefix("verify") ?? false
        if isVerified, !names.contains("sslrootcert"), !PostgreSQLAddress.namesAuthorities,
            let file = certificateAuthorities()
        {
            all.append(("sslrootcert", file))
        }
        // The encoding is fixed because values travel in binary form.
        return all + [("client_encoding", "UTF8")]
    }

    /// Whether libpq finds certificate authorities by itself.
    private static var namesAuthorities: Bool {
        let environment = Environment.process
        if environment["PGSSLROOTCERT"] != nil { return true }
        return environment.home.map { access("\($0)/.postgresql/root.crt", R_OK) == 0 } ?? false
    }
}

extension PostgreSQLAddress: CustomStringConvertible, CustomDebugStringConvertible {
    public var description: String { shown }
    public var debugDescription: String { shown }
}

extension lockstep_pq {
    /// Opens libpq and returns its functions. It is opened for the first connection because it loads
    /// Kerberos, LDAP and a dozen more libraries, which a store in a file doesn't need.
    ///
    /// - Throws: `.noLibrary` if it isn't installed.
    static func opened() throws(PostgreSQLError) -> lockstep_pq {
        do throws(SharedLibrary.Failure) {
            return try SharedLibrary("libpq.so.5").functions(lockstep_pq_find)
        } catch {
            throw PostgreSQLError(
                .noLibrary, "a store there needs libpq (Debian's package libpq5): \(error.reason)")
        }
    }
}
