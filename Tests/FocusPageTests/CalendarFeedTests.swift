import ClientSupport
import CommandLineKit
import FocusContact
import FocusDevice
import Foundation
import TestSupport
import TestTraits
import Testing

@testable import FocusPage

@Suite("The calendar feed", .ends(within: .seconds(120)))
struct CalendarFeedTests {
    /// Returns the path of the feed in an answer of the server.
    private func path(_ answer: PageLink, of page: StagedPage) throws -> String {
        guard case .link(let address) = answer else {
            throw HTTPClient.Failure(description: "\(answer)")
        }
        let path = address.dropFirst("http://\(page.host)".count)
        #expect(address.hasPrefix("http://\(page.host)/"))
        #expect(path.wholeMatch(of: #/\/calendar\/[0-9a-f]{64}\.ics/#) != nil)
        return String(path)
    }

    /// Asks as a calendar program does, without a cookie.
    private func ask(
        _ path: String, of page: StagedPage, _ headers: [String: String] = [:]
    ) throws -> HTTPClient.Answer {
        try page.ask(path, nil, ["Cookie": "", "Content-Type": ""].merging(headers) { $1 })
    }

    @Test("a calendar feed needs only its address, and a wrong or ended one is not found")
    func access() async throws {
        let page = try await StagedPage()
        let first = try await path(page.calendar(), of: page)
        let answer = try ask(first, of: page)
        #expect(answer.status == 200)
        #expect(answer.headers["content-type"] == "text/calendar; charset=utf-8")
        let again = try await page.calendar()
        #expect(again == .hasCalendar)
        #expect(try ask(first, of: page).status == 200)

        #expect(try ask(first, of: page, ["Host": "rebound.example:\(page.port)"]).status == 403)
        #expect(try ask(first, of: page, ["Sec-Fetch-Site": "cross-site"]).status == 403)
        #expect(try page.ask(first, "{}", ["Cookie": ""]).status == 405)
        #expect(try ask("/log.json", of: page).status == 403)

        let second = try await path(page.calendar(renewing: true), of: page)
        #expect(try ask(second, of: page).status == 200)
        let missing = try ask(first, of: page)
        #expect(missing.status == 404)
        let wrong = "/calendar/\(String(repeating: "0", count: 64)).ics"
        for path in [wrong, "/calendar/.ics", String(second.dropLast(4)), "\(second).ics"] {
            let answer = try ask(path, of: page)
            #expect(answer.status == 404 && answer.body == missing.body, "\(path)")
        }
        #expect(try page.ask(wrong, "{}", ["Cookie": ""]).status == 404)
        try await page.forget()
        let ended = try ask(second, of: page)
        #expect(ended.status == 404 && ended.body == missing.body)
        let third = try await path(page.calendar(), of: page)
        #expect(third != second)

        // Neither the files nor the agent's log have a secret.
        for path in [first, second, third] {
            let secret = String(path.dropFirst("/calendar/".count).dropLast(".ics".count))
            for file in [page.home.database, page.home.database + "-wal"] {
                let stored = try Data(contentsOf: URL(fileURLWithPath: file))
                #expect(stored.range(of: Data(secret.utf8)) == nil, "\(file)")
            }
            #expect(!page.log.isEmpty && !page.log.contains { $0.contains(secret) })
        }
    }

    @Test("a calendar feed answers HEAD as GET, without the calendar")
    func head() async throws {
        let page = try await StagedPage()
        let feed = try await path(page.calendar(), of: page)
        let whole = try ask(feed, of: page)
        let client = try page.client()
        client.send("HEAD \(feed) HTTP/1.1\r\nHost: \(page.host)\r\n\r\n")
        let answer = try client.head()
        #expect(answer.status == 200)
        for field in ["content-type", "content-length"] {
            #expect(answer.headers[field] == whole.headers[field], "\(field)")
        }
        // Nothing is left of the first answer, so it had no body.
        #expect(try client.ask("GET", feed, host: page.host).body == whole.body)
        client.send("HEAD / HTTP/1.1\r\nHost: \(page.host)\r\n\r\n")
        #expect(try client.head().status == 405)
    }

    @Test("a calendar feed has the phases of the last 400 days, as an export has them")
    func content() async throws {
        let page = try await StagedPage()
        let feed = try await path(page.calendar(), of: page)
        #expect(try ask(feed, of: page).body == page.laptop.run("export --format ics").output)
        // Now is 2025-11-20; 400 days before is 2024-10-16.
        for (label, day) in [("New", "2025-11-19"), ("Old", "2024-10-18"), ("Gone", "2024-10-14")] {
            let added = page.laptop.run(
                ["log", "add", label, "--from", "\(day) 12:00", "--to", "\(day) 12:25"])
            #expect(added.status == .done)
        }
        let body = try ask(feed, of: page).body
        #expect(body == page.laptop.run("export --format ics --from 2024-10-16").output)
        for (label, isThere) in [("New", true), ("Old", true), ("Gone", false)] {
            #expect(body.contains("SUMMARY:\(label)\r\n") == isThere, "\(label)")
        }
    }
}
