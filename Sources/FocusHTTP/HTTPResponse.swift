/// What a client gets for an answer.
package struct HTTPResponse: Hashable, Sendable {
    /// What came of the request, as HTTP numbers it: 200, 404.
    package let status: UInt32
    /// What it has beside those that the server gives with every answer (`HTTPServer`), in their order.
    package var headers: [HTTPField]
    /// All that is sent behind the headers; may be empty.
    package let body: [UInt8]

    /// An answer, which says nothing of its body's type unless `headers` do.
    package init(_ status: UInt32, headers: [HTTPField] = [], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// An answer of this type.
    package init(_ status: UInt32, type: String, _ body: [UInt8]) {
        self.init(status, headers: [HTTPField("Content-Type", type)], body: body)
    }

    /// Another method than those that the address knows.
    package static func otherMethod(than allowed: String) -> HTTPResponse {
        HTTPResponse(405, headers: [HTTPField("Allow", allowed)])
    }
}
