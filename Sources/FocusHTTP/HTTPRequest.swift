/// A name and its value: of a header, or of the part of an address behind its `?`.
package struct HTTPField: Hashable, Sendable {
    /// As it was written. Of a header the case of its letters says nothing; of a part of an address it does.
    package let name: String
    /// What the name is given: in an address as it is meant, however it was escaped. May be empty. A header of an
    /// answer with an end of line in it isn't sent.
    package let value: String

    /// A field of this name and value.
    package init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}

/// What a client asks for.
package struct HTTPRequest: Hashable, Sendable {
    /// As the client wrote it: `GET`.
    package let method: String
    /// The address up to its `?`, with what was escaped in it as it is meant.
    package let path: String
    /// What stands behind the `?`, in its order.
    package let query: [HTTPField]
    /// In the order they came in.
    package let headers: [HTTPField]
    /// Empty until all of it is there.
    package internal(set) var body: [UInt8]

    /// A request as a client would make it: a server's own are made by what it reads.
    ///
    /// - Parameters:
    ///   - path: without what stands behind the `?`, and with nothing escaped.
    ///   - query: what stands there.
    package init(
        _ method: String, _ path: String, query: [HTTPField] = [], headers: [HTTPField] = [],
        body: [UInt8] = []
    ) {
        self.method = method
        self.path = path
        self.query = query
        self.headers = headers
        self.body = body
    }

    /// The values of all headers of this name, whatever the case of its letters.
    package func headers(_ name: String) -> [String] {
        let name = name.lowercased()
        return headers.filter { $0.name.lowercased() == name }.map(\.value)
    }

    /// The values that the address gives this name.
    package func query(_ name: String) -> [String] { query.filter { $0.name == name }.map(\.value) }

    /// The values of the cookies of this name.
    package func cookies(_ name: String) -> [String] {
        headers("Cookie").flatMap { $0.split(separator: ";") }.compactMap { pair in
            let parts = pair.drop { $0 == " " }.split(
                separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let first = parts.first, first == name, parts.count == 2 else { return nil }
            return String(parts[1])
        }
    }
}

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
