import FocusDevice
package import FocusText

/// A page's request for a device's data, or to change it. It comes over HTTP to the agent, or from a page to the
/// device in the same browser.
package struct PageRequest: Hashable, Sendable {
    /// The method, such as `GET`.
    package let method: String
    /// The address up to its `?`, unescaped.
    package let path: String
    /// The fields behind the `?`, in their order.
    package let query: [Field]
    /// The body; may be empty.
    package let body: [UInt8]

    /// A name and its value in the query, unescaped.
    package struct Field: Hashable, Sendable {
        /// The name.
        package let name: String
        /// The value; may be empty.
        package let value: String

        /// A field of this name and value.
        package init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    /// The addresses of requests that every device answers, on a laptop or in a browser.
    package enum Route: String, CaseIterable, Hashable, Sendable {
        case press = "/press"
        case log = "/log.json"
        case statistics = "/stats.json"
        case labels = "/labels.json"
        case devices = "/devices.json"
        case device = "/device"
        case invite = "/invite"
        case share = "/share"
        case join = "/join"
        case leave = "/leave"

        /// The method of its requests.
        package var method: String {
            switch self {
            case .log, .statistics, .labels, .devices: "GET"
            case .press, .device, .invite, .share, .join, .leave: "POST"
            }
        }
    }

    /// A request with these parts.
    package init(_ method: String, _ path: String, query: [Field] = [], body: [UInt8] = []) {
        self.method = method
        self.path = path
        self.query = query
        self.body = body
    }

    /// The route; nil if there is none, or if its requests have another method.
    var route: Route? { Route(rawValue: path).flatMap { $0.method == method ? $0 : nil } }

    /// Returns the values of this name in the query.
    func query(_ name: String) -> [String] { query.filter { $0.name == name }.map { $0.value } }

    /// The clocks of the time zone in the query, for the times in sentences. If the zone is invalid, they are
    /// the device's.
    package var clocks: LocalZone { ((try? PageDocuments.zone(self)) ?? .current).clocks }
}

extension PageRequest {
    /// The request in an object: `{"method":"POST","path":"/press?page=a","body":"{…}"}`.
    package init(parsing object: [UInt8]) throws(PageError) {
        self = try mapError(PageError.malformed) { () throws(PagePress.Malformed) in
            let fields = try PagePress.Fields(parsing: object)
            let address = try fields.text("path")
            let parts = address.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
            let query = parts.count > 1 ? PageRequest.fields(parts[1]) : []
            return PageRequest(
                try fields.text("method"), PageRequest.unescaped(parts[0]), query: query,
                body: Array((try fields.optionalText("body") ?? "").utf8))
        }
    }

    private static func fields(_ query: Substring) -> [Field] {
        query.split(separator: "&").map { pair in
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return Field(unescaped(parts[0]), parts.count > 1 ? unescaped(parts[1]) : "")
        }
    }

    /// Returns the text with a byte in place of each escape such as `%20`, and a space in place of each `+`.
    private static func unescaped(_ text: Substring) -> String {
        var (bytes, rest) = ([UInt8](), text.utf8[...])
        while let byte = rest.popFirst() {
            let digits = rest.prefix(2)
            if byte == UInt8(ascii: "%"), digits.count == 2,
                let value = UInt8(String(Substring(digits)), radix: 16)
            {
                bytes.append(value)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// The answer to a page's request.
package struct PageAnswer: Hashable, Sendable {
    /// HTTP's status code, such as 200 or 404.
    package let status: UInt32
    /// The media type of the body; nil if there is none.
    package let type: String?
    /// The body; may be empty.
    package let body: [UInt8]

    /// An answer without a body.
    package init(_ status: UInt32) {
        self.status = status
        type = nil
        body = []
    }

    /// An answer with a body of this media type.
    package init(_ status: UInt32, type: String, _ body: [UInt8]) {
        self.status = status
        self.type = type
        self.body = body
    }
}
