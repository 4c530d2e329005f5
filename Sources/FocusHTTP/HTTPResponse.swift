/// What a client gets for an answer.
package struct HTTPResponse: Hashable, Sendable {
    package let status: UInt32
    package var headers: [HTTPField]
    package let body: [UInt8]

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
