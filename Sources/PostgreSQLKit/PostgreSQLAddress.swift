import CPostgreSQL
import SystemKit

/// Where a database is and how it is connected to: a URI as libpq takes it
/// (<https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-CONNSTRING>), which may name several hosts.
///
/// What the URI doesn't say is safe: a host's certificate has to be right for its name, and of several hosts the one is
/// looked for that can be written to.
public struct PostgreSQLAddress: Hashable, Sendable {
    /// The URI, with its password where it has one.
    private let uri: String

    /// How addresses begin.
    private static let schemes = ["postgresql://", "postgres://"]

    /// The address of this URI; nil where it is none by its beginning, or where one can't tell for sure which part of it is a
    /// password: what means something in an address is to be written with a `%` there, or libpq might take a part of it
    /// for a host, and say so. Whether it is right otherwise shows as one connects.
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

    /// Whether a password stands in it, so that it may be shown to nobody.
    package var hasPassword: Bool { shown != uri }

    /// The address with three stars in the place of each password.
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
            return name.contains("%") || name.hasSuffix("password") ? "\(name)=***" : String(part)
        }
        return text + parts.joined(separator: "&")
    }

    /// What a connection is made with where the URI doesn't say otherwise. A server that is gone without a word is given up
    /// after some ten seconds.
    private static let defaults: [(name: String, value: String)] = [
        ("target_session_attrs", "read-write"), ("sslmode", "verify-full"), ("connect_timeout", "5"),
        ("application_name", "focusd"), ("keepalives_idle", "5"), ("keepalives_interval", "2"),
        ("keepalives_count", "3"), ("tcp_user_timeout", "10000"),
    ]

    /// What libpq is to be told, by its own names.
    ///
    /// - Throws: `.address` where the URI can't be understood. libpq's words for it may hold a part of a password, so they
    ///   aren't given.
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
        // libpq looks for the authorities in `~/.postgresql/root.crt` alone, and before its version 16 can't be told to go by
        // the system's.
        let isVerified = all.last { $0.name == "sslmode" }?.value.hasPrefix("verify") ?? false
        if isVerified, !names.contains("sslrootcert"), !PostgreSQLAddress.namesAuthorities,
            let file = certificateAuthorities()
        {
            all.append(("sslrootcert", file))
        }
        // Text is told apart from bytes by who reads it, and dates are numbers.
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
    /// What is called of libpq, which is opened as the first connection is made: it brings Kerberos, LDAP and a dozen more,
    /// and who has a store in a file needs none of it.
    ///
    /// - Throws: `.noLibrary` where it isn't there.
    static func opened() throws(PostgreSQLError) -> lockstep_pq {
        do throws(SharedLibrary.Failure) {
            return try SharedLibrary("libpq.so.5").functions(lockstep_pq_find)
        } catch {
            throw PostgreSQLError(
                .noLibrary, "a store there takes libpq (Debian's package libpq5): \(error.reason)")
        }
    }
}
