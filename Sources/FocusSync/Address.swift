/// A server's address as people write it: `HOST`, `HOST:PORT`, `[V6]` or `[V6]:PORT`.
package struct Address: Hashable, Sendable {
    /// A name or a numeric address, without brackets; at most 253 bytes.
    package let host: String
    /// The port, or nil if the text has none.
    package let port: UInt16?

    /// The port of an address without one (docs/protocol.md, "Transport").
    package static let defaultPort: UInt16 = 7853

    /// The address in the form `HOST:PORT` or `[V6]:PORT`, also if it was parsed without a port.
    package var textWithPort: String { Address.text(host: host, port: port ?? Address.defaultPort) }

    /// Returns the address with this host and port in the form `HOST:PORT` or `[V6]:PORT`.
    package static func text(host: String, port: UInt16) -> String {
        host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    }

    /// Parses an address. Returns nil if the text isn't an address. An IPv6 address without brackets has no
    /// port.
    package init?(_ text: String) {
        let host: Substring
        let rest: Substring
        if text.hasPrefix("["), let end = text.firstIndex(of: "]") {
            host = text[text.index(after: text.startIndex)..<end]
            rest = text[text.index(after: end)...]
            guard host.contains(":") else { return nil }
        } else if text.filter({ $0 == ":" }).count > 1 {
            host = text[...]
            rest = ""
        } else {
            let end = text.firstIndex(of: ":") ?? text.endIndex
            host = text[..<end]
            rest = text[end...]
        }
        guard !host.isEmpty, host.utf8.count <= 253, host.utf8.allSatisfy(Address.isAllowed) else {
            return nil
        }
        self.host = String(host)
        if rest.isEmpty {
            port = nil
        } else {
            guard rest.first == ":", let port = UInt16(rest.dropFirst()) else { return nil }
            self.port = port
        }
    }

    /// Parses the host and port of a URL. Returns nil also if only Lockstep's addresses have this form.
    package init?(authority text: String) {
        // A zone of IPv6 is for one machine only. `UInt16` reads a port with a sign, a browser doesn't.
        guard let address = Address(text), !text.contains("%"), !text.contains("+"),
            address.host.contains(":") == text.hasPrefix("[")
        else { return nil }
        self = address
    }

    private static func isAllowed(_ character: UInt8) -> Bool {
        switch character {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: ".-_:%".utf8.contains(character)
        }
    }
}

/// The address of a page for browsers, `https://HOST` or `https://HOST:PORT`, in a welcome's list of addresses. No
/// device connects to it.
package struct WebAddress: Hashable, Sendable {
    /// The address as people write it. It has only the characters of `Address`, so none that starts a path, names a
    /// user or garbles a terminal.
    package let text: String

    /// Parses an address. Returns nil if the text has another form, or is too long for a welcome.
    package init?(_ text: String) {
        let scheme = "https://"
        guard text.hasPrefix(scheme), text.utf8.count <= Limits.address else { return nil }
        let place = String(text.dropFirst(scheme.count))
        guard let address = Address(authority: place), address.port != 0 else { return nil }
        self.text = scheme + place
    }

    /// Returns the link that opens the page with an invite. Browsers don't send the part behind `#`.
    package func link(to invite: String) -> String { "\(text)/#\(invite)" }
}
