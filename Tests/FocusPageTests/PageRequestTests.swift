import FocusText
import Testing

@testable import FocusPage

@Suite("A page's request")
struct PageRequestTests {
    private static func request(_ object: String) throws(PageError) -> PageRequest {
        try PageRequest(parsing: Array(object.utf8))
    }

    @Test("an object becomes a request, with its address unescaped")
    func parsing() throws {
        let address = "/press?page=a%2Bb&zone=Europe%2FBerlin&x&label=two+words%&y=a=%C3%BC"
        let request = try PageRequestTests.request(
            #"{"method":"POST","path":"\#(address)","body":"{\"press\":\"stop\"}"}"#)
        let query = [
            ("page", "a+b"), ("zone", "Europe/Berlin"), ("x", ""), ("label", "two words%"), ("y", "a=ü"),
        ]
        #expect(
            request
                == PageRequest(
                    "POST", "/press", query: query.map { PageRequest.Field($0, $1) },
                    body: Array(#"{"press":"stop"}"#.utf8)))
        #expect(request.query("zone") == ["Europe/Berlin"])
        #expect(request.query("none").isEmpty)
    }

    @Test("a request without a body has an empty one")
    func noBody() throws {
        let request = try PageRequestTests.request(#"{"method":"GET","path":"/log.json"}"#)
        #expect(request == PageRequest("GET", "/log.json"))
    }

    @Test("an object without a method or an address is refused", arguments: ["{}", "", #"{"method":"GET"}"#])
    func malformed(object: String) {
        #expect(throws: PageError.self) { try PageRequestTests.request(object) }
    }

    @Test("each address takes one method, and others take none", arguments: PageRequest.Route.allCases)
    func routes(route: PageRequest.Route) {
        let other = route.method == "GET" ? "POST" : "GET"
        #expect(PageRequest(route.method, route.rawValue).route == route)
        #expect(PageRequest(other, route.rawValue).route == nil)
        #expect(PageRequest(route.method, "\(route.rawValue)x").route == nil)
    }
}
