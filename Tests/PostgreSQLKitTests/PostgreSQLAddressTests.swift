import CPostgreSQL
import Foundation
import Testing

@testable import PostgreSQLKit

@Suite("Addresses of databases")
struct PostgreSQLAddressTests {
    @Test(
        "what doesn't begin as one is no address", arguments: ["", "focusd.db", "mysql://a", "postgresql:a"]
    )
    func others(_ text: String) { #expect(PostgreSQLAddress(text) == nil) }

    @Test(
        "what may be a password in part is no address, as libpq would take the rest of it for a host",
        arguments: [
            "postgresql://me:se@cret@db/x", "postgresql://me:se/cret@db", "postgresql://me:12?cret@db",
            "postgresql://me:12/3@db", "postgresql://me:secret", "postgresql://db:port/x",
            "postgresql://me:s cret@db",
            "postgresql://me:sécret@db", "postgresql://[::1]x/y",
        ])
    func unclear(_ text: String) { #expect(PostgreSQLAddress(text) == nil) }

    @Test("no password is shown, wherever it stands")
    func passwords() throws {
        for (uri, shown) in [
            ("postgresql://me:se:cr%40et@db/focusd", "postgresql://me:***@db/focusd"),
            ("postgres://me:@db", "postgres://me:***@db"),
            ("postgresql://db/focusd?password=x&user=me", "postgresql://db/focusd?password=***&user=me"),
            ("postgresql://db?sslpassword=x", "postgresql://db?sslpassword=***"),
            ("postgresql:///focusd?p%61ssword=x", "postgresql:///focusd?p%61ssword=***"),
        ] {
            let address = try #require(PostgreSQLAddress(uri))
            #expect(address.shown == shown)
            #expect("\(address)" == shown && String(reflecting: address) == shown)
            #expect(address.hasPassword)
        }
    }

    @Test("an address without a password is shown as it is")
    func plain() throws {
        for uri in [
            "postgresql://me@one:5432,two:5433/focusd?sslmode=verify-ca", "postgresql://[::1]:5432,[::2]/x",
            "postgresql:///focusd?host=/run/postgresql",
        ] {
            let address = try #require(PostgreSQLAddress(uri))
            #expect(address.shown == uri && !address.hasPassword)
        }
    }

    @Test("what can't be understood is told without a word of it")
    func misunderstood() throws {
        let address = try #require(PostgreSQLAddress("postgresql://me:secret@db/x?secret"))
        let error = #expect(throws: PostgreSQLError.self) { _ = try PostgreSQLConnection(to: address) }
        #expect(error?.kind == .address)
        #expect(error.map { !"\($0)".contains("secret") } == true)
    }

    private func parameters(_ uri: String) throws -> [String: String] {
        let found = try #require(PostgreSQLAddress(uri)).parameters(lockstep_pq.opened())
        return Dictionary(found.map { ($0.name, $0.value) }) { _, _ in
            Issue.record("something is said twice")
            return ""
        }
    }

    @Test(
        "where the address says nothing else, the database has to prove its name by an authority that the system trusts"
    )
    func verified() throws {
        let plain = try parameters("postgresql://me@one,two/focusd")
        #expect(plain["sslmode"] == "verify-full" && plain["target_session_attrs"] == "read-write")
        #expect(plain["host"] == "one,two" && plain["password"] == nil)
        let file = try #require(plain["sslrootcert"])
        #expect(try String(contentsOfFile: file, encoding: .utf8).contains("BEGIN CERTIFICATE"))
        #expect(try parameters("postgresql://db/x?sslrootcert=/mine")["sslrootcert"] == "/mine")
        #expect(try parameters("postgresql://db/x?sslmode=verify-ca")["sslrootcert"] == file)
        let weaker = try parameters("postgresql://db/x?sslmode=require")
        #expect(weaker["sslmode"] == "require" && weaker["sslrootcert"] == nil)
    }
}
