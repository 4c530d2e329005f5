/// A name and its value: of a header, or in the query of an address (behind its `?`).
package struct HTTPField: Hashable, Sendable {
    /// The name as it was written. In a header the case of its letters has no meaning; in a query it has.
    package let name: String
    /// The value, unescaped in a query. May be empty. A response's header with a line break in its value
    /// isn't sent.
    package let value: String

    /// A field of this name and value.
    package init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}

/// A client's request.
package struct HTTPRequest: Hashable, Sendable {
    /// The method as the client wrote it, such as `GET`.
    package let method: String
    /// The address up to its `?`, unescaped.
    package let path: String
    /// The fields behind the `?`, in their order.
    package let query: [HTTPField]
    /// The headers, in the order in which they arrived.
    package let headers: [HTTPField]
    /// The body; complete once `HTTPHandler.answer` is called.
    package internal(set) var body: [UInt8]
    /// The version of HTTP as the client wrote it, such as `HTTP/1.1`.
    package let version: String

    /// A request with these parts.
    ///
    /// - Parameters:
    ///   - path: The address without its query, unescaped.
    ///   - query: The fields behind the `?`.
    package init(
        _ method: String, _ path: String, query: [HTTPField] = [], headers: [HTTPField] = [],
        body: [UInt8] = [], version: String = "HTTP/1.1"
    ) {
        self.method = method
        self.path = path
        self.query = query
        self.headers = headers
        self.body = body
        self.version = version
    }

    /// Returns the values of all headers of this name. The case of its letters has no meaning.
    package func headers(_ name: String) -> [String] {
        let name = name.lowercased()
        return headers.filter { $0.name.lowercased() == name }.map(\.value)
    }

    /// Returns the values of this name in the query.
    package func query(_ name: String) -> [String] { query.filter { $0.name == name }.map(\.value) }

    /// Returns the values of the cookies of this name.
    package func cookies(_ name: String) -> [String] {
        headers("Cookie").flatMap { $0.split(separator: ";") }.compactMap { pair in
            let parts = pair.drop { $0 == " " }.split(
                separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let first = parts.first, first == name, parts.count == 2 else { return nil }
            return String(parts[1])
        }
    }
}

/// A response to a client.
package struct HTTPResponse: Hashable, Sendable {
    /// HTTP's status code, such as 200 or 404.
    package let status: UInt32
    /// The headers in addition to the server's own (`HTTPServer`), in their order.
    package var headers: [HTTPField]
    /// The bytes after the headers; may be empty.
    package let body: [UInt8]

    /// A response without a content type, unless `headers` has one.
    package init(_ status: UInt32, headers: [HTTPField] = [], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// A response with this content type.
    package init(_ status: UInt32, type: String, _ body: [UInt8]) {
        self.init(status, headers: [HTTPField("Content-Type", type)], body: body)
    }

    /// Returns a response to a request with a method that the address doesn't support (405). `allowed` lists
    /// the supported ones.
    package static func otherMethod(than allowed: String) -> HTTPResponse {
        HTTPResponse(405, headers: [HTTPField("Allow", allowed)])
    }
}
