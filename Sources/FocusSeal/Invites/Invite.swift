package import FocusCore

/// A line of text that lets a device join a group, or bring a group to a server (docs/protocol.md,
/// "Invites").
///
/// It is `lockstep1-` and then, in base 32, these fields, with their lengths in bytes:
/// - the kind (1)
/// - the hash of the server's key (32)
/// - the hash of the server's next key, if the kind says that there is one (32)
/// - the secret (16)
/// - the group's mark, if the invite joins a group (4)
/// - the number of addresses (1), and each address as its length (1) and its UTF-8
/// - the start of the SHA-256 of `lockstep1-` and all fields above (4)
///
/// Anybody who has the line can use it once: treat it like a password.
package struct Invite: Hashable, Sendable {
    /// The purpose of an invite.
    package enum Kind: Hashable, Sendable {
        /// Brings one group to the server: a new one, or one that the device has. `focusd invite` makes it.
        case bringGroup
        /// Joins the group with this mark; the server keeps the group's wrapped key. `focus invite` makes it.
        case joinGroup(GroupMark)
    }

    /// The action that the invite permits, once.
    package let kind: Kind
    /// The server's addresses, each `HOST` or `HOST:PORT`, the best first.
    package let addresses: [String]
    /// The server's keys, which the device pins.
    package let server: ServerPin
    /// The only secret part of the invite. The token and the wrapping key are derived from it.
    package let secret: InviteSecret

    /// The maximum number of addresses in an invite.
    package static let addressLimit = 8
    /// The maximum length of a text that is parsed, in bytes. The longest invite has 3,431, and line breaks
    /// may be added.
    package static let textLimit = 8192
    /// The longest address, in bytes.
    package static let addressLengthLimit = 255

    /// An invite with these parts.
    ///
    /// - Throws: `SealError.Code.notAnInvite` if there is no address, or there are too many, or one is empty
    ///   or too long.
    package init(
        kind: Kind, addresses: [String], server: ServerPin, secret: InviteSecret
    ) throws(SealError) {
        guard (1...Invite.addressLimit).contains(addresses.count),
            addresses.allSatisfy({ (1...Invite.addressLengthLimit).contains($0.utf8.count) })
        else {
            throw SealError(.notAnInvite, "an invite needs 1 to \(Invite.addressLimit) addresses")
        }
        self.kind = kind
        self.addresses = addresses
        self.server = server
        self.secret = secret
    }
}

extension Invite {
    /// The start of every invite of this version.
    private static let prefix = "lockstep1-"
    private static let checksumLength = 4
    /// The number added to the kind's byte if the invite names the server's next key.
    private static let withNextKey: UInt8 = 2

    /// Returns the invite as a line of text.
    package func text() throws(SealError) -> String {
        var payload: [UInt8] = [kind.code + (server.next == nil ? 0 : Invite.withNextKey)]
        payload += server.key.bytes
        payload += server.next?.bytes ?? []
        payload += secret.bytes.exposed()
        if case .joinGroup(let mark) = kind { payload += mark.bytes }
        payload.append(UInt8(clamping: addresses.count))
        for address in addresses {
            payload.append(UInt8(clamping: address.utf8.count))
            payload += address.utf8
        }
        return try Invite.prefix + Base32.encode(payload + Invite.checksum(of: payload))
    }

    /// Parses the line of text, in upper or lower case, or a link with it behind `#`. White space is ignored,
    /// because text copied from a wrapped display contains line breaks.
    ///
    /// - Throws: `SealError.Code.notAnInvite`, `.mistypedInvite`, `.newerInvite`.
    package init(_ text: String) throws(SealError) {
        let encoded = try Invite.base32Part(of: text)
        guard let bytes = Base32.decode(encoded), bytes.count > Invite.checksumLength else {
            throw Invite.mistyped
        }
        let payload = Array(bytes.dropLast(Invite.checksumLength))
        guard try bytes.suffix(Invite.checksumLength).elementsEqual(Invite.checksum(of: payload)) else {
            throw Invite.mistyped
        }
        try self.init(payload: payload)
    }

    private init(payload: [UInt8]) throws(SealError) {
        var rest = payload[...]
        guard let code = rest.popFirst() else { throw Invite.mistyped }
        let hasNextKey = code > Invite.withNextKey
        let kindCode = hasNextKey ? code - Invite.withNextKey : code
        guard (Kind.bringing...Kind.joining).contains(kindCode) else { throw Invite.newer }
        guard let server = Invite.pin(&rest, hasNextKey: hasNextKey),
            let secret = InviteSecret(SecretBytes(rest.removePrefix(InviteSecret.length))),
            let kind = Kind(kindCode, &rest), let count = rest.popFirst()
        else { throw Invite.mistyped }
        var addresses: [String] = []
        for _ in 0..<count {
            guard let length = rest.popFirst(),
                let address = String(validating: rest.removePrefix(Int(length)), as: UTF8.self),
                address.utf8.count == Int(length)
            else { throw Invite.mistyped }
            addresses.append(address)
        }
        guard rest.isEmpty else { throw Invite.mistyped }
        try self.init(kind: kind, addresses: addresses, server: server, secret: secret)
    }

    /// Removes the server's keys from the start of `rest` and returns them. Returns nil if they are cut
    /// short, or the next key equals the present one.
    private static func pin(_ rest: inout ArraySlice<UInt8>, hasNextKey: Bool) -> ServerPin? {
        guard let key = Digest(bytes: rest.removePrefix(Digest.length)) else { return nil }
        guard hasNextKey else { return ServerPin(key) }
        guard let next = Digest(bytes: rest.removePrefix(Digest.length)), next != key else { return nil }
        return ServerPin(key, next: next)
    }

    /// Returns the characters after the prefix, in lower case and without white space. Ignores everything up to
    /// the last `#`: a link, or a sentence with a link.
    private static func base32Part(of text: String) throws(SealError) -> ArraySlice<UInt8> {
        guard text.utf8.count <= textLimit else {
            throw SealError(.notAnInvite, "this is not an invite: it is too long for one")
        }
        let isSpace: (UInt8) -> Bool = { $0 == 0x20 || (0x09...0x0D).contains($0) }
        let all = text.utf8.filter { !isSpace($0) }.map { (0x41...0x5A).contains($0) ? $0 + 0x20 : $0 }
        let lower = all.dropFirst(all.lastIndex(of: UInt8(ascii: "#")).map { $0 + 1 } ?? 0)
        if lower.starts(with: prefix.utf8) { return lower.dropFirst(prefix.utf8.count) }
        let name = "lockstep".utf8
        guard lower.starts(with: name), let dash = lower.firstIndex(of: UInt8(ascii: "-")) else {
            throw SealError(.notAnInvite, "this is not an invite: one begins with \(prefix)")
        }
        let version = lower[..<dash].dropFirst(name.count)
        guard !version.isEmpty, version.allSatisfy({ (0x30...0x39).contains($0) }) else { throw mistyped }
        throw newer
    }

    private static func checksum(of payload: [UInt8]) throws(SealError) -> ArraySlice<UInt8> {
        try Digest(of: (Array(prefix.utf8) + payload).span.bytes).bytes.prefix(checksumLength)
    }

    private static let mistyped = SealError(
        .mistypedInvite, "the invite is mistyped or cut short: copy the whole line again")
    private static let newer = SealError(
        .newerInvite, "the invite was made by a newer version: upgrade this program")
}

/// The first 4 bytes of a group's id. A laptop in a group uses it to distinguish an invite to that group from
/// an invite to another one. Two groups may have the same mark.
package struct GroupMark: Hashable, Sendable {
    /// The length of a mark, in bytes.
    fileprivate static let length = 4
    /// The id's first bytes.
    fileprivate let bytes: [UInt8]

    /// The mark of a group.
    package init(of group: GroupID) { bytes = Array(group.bytes.prefix(GroupMark.length)) }

    fileprivate init?(_ bytes: [UInt8]) {
        guard bytes.count == GroupMark.length else { return nil }
        self.bytes = bytes
    }
}

extension Invite.Kind {
    fileprivate static let bringing: UInt8 = 1
    fileprivate static let joining: UInt8 = 2

    /// The byte of the kind if the server has no next key.
    fileprivate var code: UInt8 {
        switch self {
        case .bringGroup: Invite.Kind.bringing
        case .joinGroup: Invite.Kind.joining
        }
    }

    /// The kind with this byte. Removes its own fields from the start of `rest`; nil if they are cut short.
    fileprivate init?(_ code: UInt8, _ rest: inout ArraySlice<UInt8>) {
        if code == Invite.Kind.bringing {
            self = .bringGroup
        } else {
            guard let mark = GroupMark(rest.removePrefix(GroupMark.length)) else { return nil }
            self = .joinGroup(mark)
        }
    }
}

extension ArraySlice<UInt8> {
    /// Removes and returns the first `count` bytes, or all bytes if there are fewer.
    fileprivate mutating func removePrefix(_ count: Int) -> [UInt8] {
        defer { self = dropFirst(count) }
        return Array(prefix(count))
    }
}

/// Base 32 (RFC 4648 §6) in lower case and without padding. It can be read aloud, and a double click selects
/// all of it.
enum Base32 {
    private static let alphabet = Array("abcdefghijklmnopqrstuvwxyz234567".utf8)

    static func encode(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count * 8 + 4) / 5)
        var buffer: UInt16 = 0
        var bits = 0
        for byte in bytes {
            buffer = buffer << 8 | UInt16(byte)
            bits += 8
            while bits >= 5 {
                bits -= 5
                text.append(alphabet[Int(buffer >> bits & 31)])
            }
        }
        if bits > 0 { text.append(alphabet[Int(buffer << (5 - bits) & 31)]) }
        return String(decoding: text, as: UTF8.self)
    }

    /// Returns the bytes that `encode` encodes as this text, in upper or lower case; nil for any other text.
    static func decode(_ text: some Sequence<UInt8>) -> [UInt8]? {
        var bytes: [UInt8] = []
        var buffer: UInt16 = 0
        var bits = 0
        for character in text {
            guard let value = value(of: character) else { return nil }
            buffer = buffer << 5 | value
            bits += 5
            if bits >= 8 {
                bits -= 8
                bytes.append(UInt8(truncatingIfNeeded: buffer >> bits))
            }
        }
        // The remaining bits must be padding: fewer than a character has, and all zero.
        guard bits < 5, buffer & (1 << bits - 1) == 0 else { return nil }
        return bytes
    }

    private static func value(of character: UInt8) -> UInt16? {
        switch character {
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt16(character - UInt8(ascii: "a"))
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt16(character - UInt8(ascii: "A"))
        case UInt8(ascii: "2")...UInt8(ascii: "7"): UInt16(character - UInt8(ascii: "2")) + 26
        default: nil
        }
    }
}
