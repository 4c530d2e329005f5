import PostgreSQLKit
import Testing

@Suite("Addresses of databases")
struct PostgreSQLAddressTests {
    @Test(
        "what doesn't begin as one is no address", arguments: ["", "focusd.db", "mysql://a", "postgresql:a"])
    func others(_ text: String) { #expect(PostgreSQLAddress(text) == nil) }

    @Test("no password is shown, wherever it stands")
    func passwords() throws {
        for (uri, shown) in [
            ("postgresql://me:se:cr@et@db/focusd", "postgresql://me:***@db/focusd"),
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
            "postgresql://me@one:5432,two:5433/focusd?sslmode=verify-ca",
            "postgresql:///focusd?host=/run/postgresql",
        ] {
            let address = try #require(PostgreSQLAddress(uri))
            #expect(address.shown == uri && !address.hasPassword)
        }
    }

    @Test("what can't be understood is told without a word of it")
    func misunderstood() throws {
        let address = try #require(PostgreSQLAddress("postgresql://me:secret@db:port/x?secret"))
        let error = #expect(throws: PostgreSQLError.self) { _ = try PostgreSQLConnection(to: address) }
        #expect(error?.kind == .address)
        #expect(error.map { !"\($0)".contains("secret") } == true)
    }
}
