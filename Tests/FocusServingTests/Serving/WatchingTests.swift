import FocusCore
import FocusNet
import FocusServerStore
import FocusSync
import ServerSupport
import TestSupport
import TestTraits
import Testing

@testable import FocusServing

@Suite("Changes of the addresses in the store while a server runs", .ends(within: .seconds(300)))
struct WatchingTests {
    private let installation: Installation

    init() throws { installation = try Installation() }

    private func replaceAddresses(with addresses: [String]) throws {
        let store = try SQLiteServerStore(at: installation.folder.store, access: .readWrite)
        try store.write { try $0.replaceAddresses(with: addresses) }
    }

    /// Returns the addresses in the welcome of a laptop's next connection.
    private func told(_ laptop: TestLaptop, at endpoint: Endpoint) async throws -> [String] {
        let (again, welcome) = try await installation.reconnect(laptop, to: endpoint)
        await again.close()
        return welcome.addresses
    }

    @Test("the server announces the new addresses to laptops") func announced() async throws {
        try await installation.serving { endpoint, server in
            let laptop = try await installation.founder(at: endpoint)
            for addresses in [["two.example", "one.example"], ["three.example"]] {
                try replaceAddresses(with: addresses)
                try await waitUntil("they are read") { await server.hasRead(addresses) }
                #expect(try await told(laptop, at: endpoint) == addresses)
            }
            await laptop.close()
        }
    }

    @Test("the page's address is announced after those for laptops, and an eighth one for laptops isn't")
    func page() async throws {
        var web = WebSettings()
        web.announced = WebAddress("https://focus.example")
        try await installation.serving(web: web) { endpoint, server in
            let laptop = try await installation.founder(at: endpoint)
            for count in [1, 8] {
                let addresses = (1...count).map { "\($0).example" }
                try replaceAddresses(with: addresses)
                try await waitUntil("they are read") { await server.hasRead(addresses) }
                let expected = Array(addresses.prefix(7)) + ["https://focus.example"]
                #expect(try await told(laptop, at: endpoint) == expected)
            }
            await laptop.close()
        }
    }

    @Test("the machine's own addresses are announced at a new port as soon as they are found")
    func ownAddresses() async throws {
        try replaceAddresses(with: ["auto:7900"])
        try await installation.serving(finding: { ["192.0.2.7"] }) { endpoint, server in
            let laptop = try await installation.founder(at: endpoint)
            try await waitUntil("they are found") { await server.hasRead(["auto:7900"]) }
            #expect(try await told(laptop, at: endpoint) == ["192.0.2.7:7900"])
            // Another list for the same addresses would have to be found twice.
            for (addresses, expected) in [
                (["auto:7901"], ["192.0.2.7:7901"]), (["one.example"], ["one.example"]),
                (["auto:7901"], ["192.0.2.7:7901"]),
            ] {
                try replaceAddresses(with: addresses)
                try await waitUntil("they are found") { await server.hasRead(addresses) }
                #expect(try await told(laptop, at: endpoint) == expected)
            }
            await laptop.close()
        }
    }
}

extension Server {
    /// Whether it knows these addresses of the store, and has found its own if they name them.
    fileprivate func hasRead(_ addresses: [String]) -> Bool {
        serving?.addresses == addresses && serving?.isFindingAddresses == false
    }
}
