import FocusHTTP
import FocusNet
import FocusServing

/// Fuzzes the head of a request to the server's pages, as libmicrohttpd has taken it apart. The input is the head's
/// lines with simple line breaks: the method, path and version, then headers. One of these may name the
/// client's address.
func fuzzWebRequests(_ input: [UInt8]) throws {
    let head = webRequest(input)
    let page = WebOrigin("https://page.example")
    let upgrade = WebSocketUpgrade(at: "/sync", from: [page].compactMap { $0 })
    let response = try upgrade.response(to: head)
    if response.status == 101 {
        try holdUpgrade(head, response, to: page)
    } else {
        try holdRefusal(head, response)
    }
    try holdPages(head, isUpgraded: response.status == 101)
    let turned = HTTPRequest(head.method, head.path, headers: head.headers.reversed(), version: head.version)
    try hold(try upgrade.response(to: turned) == response, "the order of headers has no meaning")
    try holdAddress(head.headers("X-Forwarded-For"))
}

private func webRequest(_ input: [UInt8]) -> HTTPRequest {
    let lines = input.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    let words = (lines.first ?? []).split(separator: UInt8(ascii: " "), maxSplits: 2).map {
        String(decoding: $0, as: UTF8.self)
    }
    let headers: [HTTPField] = lines.dropFirst().compactMap { line in
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        let value = line[(colon + 1)...].drop { $0 == UInt8(ascii: " ") }
        return HTTPField(
            String(decoding: line[..<colon], as: UTF8.self), String(decoding: value, as: UTF8.self))
    }
    return HTTPRequest(
        words.first ?? "", words.dropFirst().first ?? "", headers: headers,
        version: words.dropFirst(2).first ?? "")
}

/// Checks that a request that becomes a WebSocket may become one.
///
/// - Parameter page: The page of another site that may connect.
private func holdUpgrade(_ head: HTTPRequest, _ response: HTTPResponse, to page: WebOrigin?) throws {
    try hold(
        head.method == "GET" && head.path == "/sync" && head.version == "HTTP/1.1",
        "only GET of /sync is upgraded")
    let (hosts, origins) = (head.headers("Host"), head.headers("Origin"))
    try hold(
        hosts.count == 1 && origins.count <= 1, "an upgraded request has one host, and at most one origin")
    let allowed = ["http", "https"].map { WebOrigin("\($0)://\(hosts[0])") } + [page]
    try hold(
        origins.allSatisfy { origin in
            WebOrigin(origin).map { allowed.contains($0) } ?? false
        }, "only pages of the host and listed ones may connect")
    try hold(head.headers("Sec-WebSocket-Version") == ["13"], "an upgraded request has the right version")
    try hold(
        head.headers("Transfer-Encoding").isEmpty && head.headers("Content-Length").allSatisfy { $0 == "0" },
        "an upgraded request has no body")
    let keys = head.headers("Sec-WebSocket-Key")
    try hold(
        keys.count == 1 && keys[0].hasSuffix("==")
            && keys[0].utf8.prefix { $0 != UInt8(ascii: "=") }.count == 22,
        "an upgraded request has one key of 16 bytes")
    let accepted = response.headers.first { $0.name == "Sec-WebSocket-Accept" }?.value
    try hold(accepted?.utf8.count == 28, "the answer has a hash of the key")
}

/// Checks that a refusal's status fits the request.
private func holdRefusal(_ head: HTTPRequest, _ response: HTTPResponse) throws {
    let fits =
        switch response.status {
        case 400: head.method == "GET" && head.path == "/sync"
        case 403: !head.headers("Origin").isEmpty
        case 404: head.path != "/sync"
        case 405: head.method != "GET" && response.headers == [HTTPField("Allow", "GET")]
        case 426: response.headers.contains(HTTPField("Sec-WebSocket-Version", "13"))
        case 431: length(of: head) > WebSocketUpgrade.headLimit
        default: false
        }
    try hold(fits, "the status \(response.status) fits the request")
}

/// Checks the pages' refusal of a head, which comes before the answer of the WebSocket or with a file.
private func holdPages(_ head: HTTPRequest, isUpgraded: Bool) throws {
    let refusal = WebPages.refusal(of: head) { $0 == "/page.js" }
    let isUpgrade = head.path == "/sync"
    let hasPath = isUpgrade || head.path == "/" || head.path == "/page.js"
    let fits =
        switch refusal?.status {
        case nil: hasPath && (head.method == "GET" || head.method == "HEAD" && !isUpgrade)
        case 404?: !hasPath
        case 405?:
            hasPath && head.method != "GET"
                && refusal?.headers == [HTTPField("Allow", isUpgrade ? "GET" : "GET, HEAD")]
        case 431?: length(of: head) > WebSocketUpgrade.headLimit
        default: false
        }
    try hold(fits, "the pages' refusal fits the request, not \(refusal?.status ?? 200)")
    try hold(
        refusal == nil ? length(of: head) <= WebSocketUpgrade.headLimit : !isUpgraded,
        "a head that isn't refused is short, and a request that is refused isn't upgraded")
}

/// The length of a head as it is sent, with a version of the usual length.
private func length(of head: HTTPRequest) -> Int {
    let first = "\(head.method) \(head.path) HTTP/1.1\r\n".utf8.count
    return head.headers.reduce(first + 2) { $0 + "\($1.name): \($1.value)\r\n".utf8.count }
}

/// Checks the address of a client that a proxy has named last.
private func holdAddress(_ headers: [String]) throws {
    let (proxy, stranger): ([UInt8], [UInt8]) = ([127, 0, 0, 1], [198, 51, 100, 7])
    let proxies = ["127.0.0.1"].compactMap { AddressRange($0) }
    func client(_ peer: [UInt8], _ headers: [String]) -> [UInt8] {
        ForwardedAddress.client(of: peer, forwardedFor: headers, by: proxies)
    }
    try hold(client(stranger, headers) == stranger, "only a proxy names another address")
    let named = client(proxy, headers)
    try hold([4, 16].contains(named.count), "an address has 4 bytes or 16")
    try hold(named.unmappedAddress == named, "an address of IPv4 has one form")
    guard let last = headers.last else {
        return try hold(named == proxy, "without a header it is the proxy's own")
    }
    try hold(
        client(proxy, ["203.0.113.9"] + headers.dropLast() + ["203.0.113.9,\(last)"]) == named,
        "a client can't name its own address")
}
