import FocusHTTP
import TestTraits
import Testing

@Suite("Where a request comes from", .ends(within: .seconds(600)))
struct OriginTests {
    private func admits(_ headers: KeyValuePairs<String, String>) -> Bool {
        LoopbackOrigin(port: 8042).admits(
            HTTPRequest("GET", "/", headers: headers.map { HTTPField($0.key, $0.value) }))
    }

    @Test("the server's own page, and what comes from no page, is let in")
    func own() {
        #expect(admits(["Host": "127.0.0.1:8042"]))
        #expect(admits(["host": "LocalHost:8042"]))
        #expect(admits(["Host": "127.0.0.1:8042", "Origin": "http://127.0.0.1:8042"]))
        #expect(admits(["Host": "127.0.0.1:8042", "Sec-Fetch-Site": "same-origin"]))
        #expect(admits(["Host": "127.0.0.1:8042", "Sec-Fetch-Site": "none"]))
    }

    @Test("another host, another origin, another site is kept out")
    func others() {
        #expect(!admits([:]))
        #expect(!admits(["Host": "127.0.0.1"]))
        #expect(!admits(["Host": "127.0.0.1:8043"]))
        #expect(!admits(["Host": "rebound.example:8042"]))
        #expect(!admits(["Host": "127.0.0.1:8042.example"]))
        #expect(!admits(["Host": "127.0.0.1:8042", "Host": "localhost:8042"]))
        for origin in [
            "null", "", "http://127.0.0.1", "http://127.0.0.1:8043", "https://127.0.0.1:8042",
            "http://localhost:8042", "http://example.org",
        ] {
            #expect(!admits(["Host": "127.0.0.1:8042", "Origin": origin]), "\(origin)")
        }
        for site in ["cross-site", "same-site", ""] {
            #expect(!admits(["Host": "127.0.0.1:8042", "Sec-Fetch-Site": site]), "\(site)")
        }
    }

    @Test("a cookie is found among others, and by its whole name alone")
    func cookies() {
        let request = HTTPRequest(
            "GET", "/",
            headers: [HTTPField("Cookie", "a=1; ab=2; a=3=4;a"), HTTPField("cookie", "a=5")])
        #expect(request.cookies("a") == ["1", "3=4", "5"])
        #expect(request.cookies("b") == [])
    }
}
