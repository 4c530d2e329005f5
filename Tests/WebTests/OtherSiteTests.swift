import Foundation
import IntegrationSupport
import TestSupport
import Testing

extension BrowserMemberTests {
    @Suite("The page at another site than its server")
    struct OtherSiteTests {
        @Test(
            "exported, and served with the documented headers, it joins, presses and agrees with the laptops")
        func exported() throws {
            try World.with { world in
                let (site, port) = (try freePort(), try freePort())
                let server = "localhost:\(port)"
                let address = try BrowserMemberTests.serve(
                    world.server, settings: "web-origins = https://localhost:\(site)\n")
                for name in ["desk", "home"] { try world.join(name) }
                let desk = world.laptops[0]
                let page = world.folder.file("page")
                try OtherSiteTests.export(to: page, for: server, in: world.folder)
                let caddy = try Caddy(
                    world.folder, to: try BrowserMemberTests.port(of: address), at: port,
                    beside: """
                        https://localhost:\(site) {
                            tls internal
                            root * \(page)
                            file_server
                            header {
                                \(try OtherSiteTests.headers(for: server).joined(separator: "\n        "))
                            }
                        }
                        """)
                let browser = try world.browser("phone")
                try BrowserMemberTests.join(browser, world, at: "https://localhost:\(site)/")
                try browser.waitUntilKept()
                try desk.press("start", "Report")
                try browser.until("the browser has the start") { try browser.status == "running" }
                try browser.pressLabel("On the phone")
                try eventually("the laptop has the press") { try desk.status().label == "On the phone" }
                try browser.reload()
                try browser.shows("Online", in: "sharing")
                try world.agree(with: browser)
                #expect(try browser.log().filter { $0.contains("Content Security Policy") } == [])
                try browser.end()
                try caddy.end()
            }
        }

        /// Copies the page's files by `focus web --export`, with a program beside which the page is installed.
        private static func export(to page: String, for server: String, in folder: TemporaryFolder) throws {
            let (programs, data) = (folder.file("installed/bin"), folder.file("installed/share/lockstep"))
            for path in [programs, data] {
                try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
            }
            try copyProgram(.focus, to: "\(programs)/focus")
            try FileManager.default.createSymbolicLink(
                atPath: "\(data)/web", withDestinationPath: BrowserMemberTests.files)
            let outcome = try Program(path: "\(programs)/focus").start(
                ["web", "--export", page, "--server", "https://\(server)"],
                ["HOME": folder.path, "LOCKSTEP_TEST": folder.path], in: folder, log: folder.fresh("messages")
            ).wait()
            guard outcome.status == 0 else { throw Unmet("focus web --export: \(outcome.messages)") }
        }

        /// The headers of docs/browser.md for another site, in Caddy's words, with this server.
        private static func headers(for server: String) throws -> [String] {
            let block = try BrowserMemberTests.documentedBlock(after: "as the server does:")
            #expect(block.contains("wss://focus.example.org;"))
            return block.split(separator: "\n").map { line in
                let parts = line.split(separator: ": ", maxSplits: 1)
                let value = parts.last?.replacing("wss://focus.example.org", with: "wss://\(server)") ?? ""
                return "\(parts.first ?? "") \"\(value)\""
            }
        }
    }
}
