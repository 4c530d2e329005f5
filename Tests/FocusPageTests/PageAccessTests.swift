import FocusDevice
import Foundation
import TestSupport
import TestTraits
import Testing

/// Links, cookies and headers, over HTTP. Tests/PageTests checks the page in a browser.
@Suite("The page's links, cookies and headers", .ends(within: .seconds(120)))
struct PageAccessTests {
    @Test("a link lets one browser in once, and without a link or cookie every request is refused")
    func links() async throws {
        let page = try await StagedPage()
        let link = try await page.link()
        func open(_ path: String, _ headers: [String: String] = [:]) throws -> HTTPClient.Answer {
            try page.ask(path, nil, ["Cookie": ""].merging(headers) { $1 })
        }
        for path in ["/open", "/open?key=", "/open?key=00", link.path + "&key=1", link.path + "0"] {
            #expect(try open(path).status == 403, "\(path)")
        }
        #expect(try open(link.path, ["Sec-Fetch-Site": "cross-site"]).status == 403)
        let answer = try open(link.path)
        #expect(answer.status == 303)
        #expect(answer.headers["location"] == "/")
        let parts = try #require(answer.headers["set-cookie"]).components(separatedBy: "; ")
        #expect(parts[0].wholeMatch(of: #/focus-\d+=[0-9a-f]{64}/#) != nil)
        #expect(Set(parts.dropFirst()) == ["Path=/", "HttpOnly", "SameSite=Strict", "Max-Age=2592000"])
        #expect(try open(link.path).status == 403)

        #expect(try open("/", ["Cookie": parts[0]]).status == 200)
        #expect(try open("/", ["Cookie": "a=b; \(parts[0]); c=d"]).status == 200)
        let token = try #require(parts[0].split(separator: "=").last)
        for refused in [
            "", "focus=\(token)", "focus-\(page.port)=", "focus-\(page.port)=\(token.dropLast())0",
            "focus-\(page.port)=\(token)0", "focus-\(page.port + 1)=\(token)",
        ] where refused != parts[0] {
            for path in ["/", "/events", "/log.json", "/stats.json", "/labels.json", "/devices.json"] {
                #expect(try open(path, ["Cookie": refused]).status == 403, "\(path) \(refused)")
            }
        }
        // The token is neither in the files nor in the agent's log, so they aren't enough to sign in.
        for file in [page.home.database, page.home.database + "-wal"] {
            let stored = try Data(contentsOf: URL(fileURLWithPath: file))
            #expect(stored.range(of: Data(token.utf8)) == nil, "\(file)")
        }
        #expect(!page.log.isEmpty && !page.log.contains { $0.contains(token) })
    }

    @Test("requests of other hosts and other pages are refused on every path")
    func strangers() async throws {
        let page = try await StagedPage()
        let strange = [
            ["Host": "rebound.example:\(page.port)"], ["Origin": "http://evil.example"],
            ["Origin": "null"], ["Sec-Fetch-Site": "cross-site"], ["Sec-Fetch-Site": "same-site"],
        ]
        for headers in strange {
            for path in ["/", "/page.js", "/events", "/log.json", "/open"] {
                #expect(try page.ask(path, nil, headers).status == 403, "\(path) \(headers)")
            }
        }
        let posts = [
            ("/press", #"{"press":"start"}"#), ("/join", #"{"invite":"x"}"#), ("/leave", #"{"sure":true}"#),
            ("/device", #"{"rename":"x"}"#), ("/invite", "{}"), ("/share", "{}"), ("/sign-out", "{}"),
        ]
        for (path, body) in posts {
            for headers in strange + [["Cookie": ""]] {
                #expect(try page.ask(path, body, headers).status == 403, "\(path) \(headers)")
            }
            #expect(try page.ask(path, body, ["Content-Type": "text/plain"]).status == 415, "\(path)")
            #expect(try page.ask(path).status == 405, "\(path)")
        }
        #expect(page.status.contains(#""status":"stopped""#))
        let own = ["Origin": "http://\(page.host)", "Sec-Fetch-Site": "same-origin"]
        #expect(try page.ask("/press", #"{"press":"start"}"#, own).status == 204)
        #expect(page.status.contains(#""status":"running""#))
    }

    @Test("every answer allows only the page's own files and forbids caching")
    func policy() async throws {
        let page = try await StagedPage()
        for path in [
            "/", "/page.js", "/icon.svg", "/manifest.webmanifest", "/log.json", "/nowhere", "/open?key=1",
        ] {
            let headers = try page.ask(path).headers
            #expect(headers["content-security-policy"]?.hasPrefix("default-src 'none'; ") == true)
            #expect(headers["x-content-type-options"] == "nosniff")
            #expect(headers["referrer-policy"] == "no-referrer")
            #expect(headers["cache-control"] == "no-store")
            #expect(headers["cross-origin-opener-policy"] == "same-origin")
            #expect(headers["cross-origin-resource-policy"] == "same-origin")
            #expect(headers["access-control-allow-origin"] == nil)
        }
        #expect(try page.ask("/nowhere").status == 404)
        #expect(try page.ask("/press").headers["allow"] == "POST")
        #expect(try page.ask("/events", "{}").status == 405)
        let deleting = try page.client().ask("DELETE", "/", host: page.host, ["Cookie": page.cookie])
        #expect(deleting.status == 405)
        let long = "{\"press\":\"" + String(repeating: "x", count: 65_536) + "\"}"
        #expect(try page.ask("/press", long).status == 413)
    }

    @Test("browsers get the manifest and its icon without the cookie, which they may not send")
    func manifest() async throws {
        let page = try await StagedPage()
        for path in ["/manifest.webmanifest", "/icon.svg"] {
            let answer = try page.ask(path, nil, ["Cookie": "", "Sec-Fetch-Site": "same-origin"])
            #expect(answer.status == 200)
            let policy = try #require(answer.headers["content-security-policy"])
            #expect(policy.contains("manifest-src 'self'"))
        }
        #expect(try page.ask("/manifest.webmanifest", nil, ["Sec-Fetch-Site": "cross-site"]).status == 403)
    }

    @Test("a browser that signs out is refused in every tab, and the others stay signed in")
    func signingOut() async throws {
        let page = try await StagedPage()
        let staying = try await page.otherCookie()
        let leaving = try page.follow(page.cookie)
        let other = try page.follow(staying)
        #expect(try page.ask("/sign-out", "{}", ["Sec-Fetch-Site": "cross-site"]).status == 403)
        let answer = try page.ask("/sign-out", "{}")
        #expect(answer.status == 204)
        #expect(
            answer.headers["set-cookie"]
                == "focus-\(page.port)=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0")
        try leaving.waitForEndOfStream()
        for path in ["/", "/events", "/log.json"] { #expect(try page.ask(path).status == 403) }
        #expect(try page.ask("/sign-out", "{}").status == 403)
        let press = try page.ask("/press", #"{"press":"start"}"#, ["Cookie": staying])
        #expect(press.status == 204)
        _ = try other.text(upTo: #""status":"running""#)
    }
}
