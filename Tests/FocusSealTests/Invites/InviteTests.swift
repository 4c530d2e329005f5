import FocusCore
import FocusSeal
import TestSupport
import Testing

@Suite struct InviteTests {
    private func digest(_ byte: UInt8) throws -> Digest {
        try #require(Digest(bytes: [UInt8](repeating: byte, count: 32)))
    }

    private func invite(
        _ addresses: [String] = ["focus.example.org"], kind: Invite.Kind = .bringGroup, next: Digest? = nil
    ) throws -> Invite {
        try Invite(
            kind: kind, addresses: addresses, server: ServerPin(digest(9), next: next), secret: .random())
    }

    @Test(
        "an invite names the server's next key where there is one",
        arguments: [.bringGroup, .joinGroup(GroupMark(of: Vectors.group))] as [Invite.Kind])
    func nextKey(kind: Invite.Kind) throws {
        let invite = try invite(kind: kind, next: digest(8))
        let read = try Invite(invite.text())
        #expect(read == invite)
        #expect(try read.kind == kind && read.server.keys == [digest(9), digest(8)])
        #expect(try Invite(self.invite(kind: kind).text()).server.keys == [digest(9)])
    }

    @Test(
        "an invite is read in lines, with white space around it and in capitals, and what is too long for one is none"
    ) func wrapped()
        throws
    {
        let invite = try invite(["focus.example.org", "[2001:db8::1]:7853"])
        let text = try invite.text()
        #expect(try Invite(" \t\(text)\r\n") == invite)
        #expect(try Invite(text.uppercased()) == invite)
        #expect(
            try Invite("  \(text.prefix(40))\r\n  \(text.dropFirst(40).prefix(40)) \n\(text.dropFirst(80))")
                == invite)
        let padded = text + String(repeating: " ", count: Invite.textLimit - text.utf8.count)
        #expect(try Invite(padded) == invite)
        #expect(throws: SealError.self) { try Invite("\(padded) ") }
        let longest = try self.invite(
            (1...Invite.addressLimit).map {
                "\($0)" + String(repeating: "a", count: Invite.addressLengthLimit - 1)
            }, kind: .joinGroup(GroupMark(of: Vectors.group)), next: digest(8))
        #expect(try Invite(longest.text()) == longest)
        #expect(try longest.text().utf8.count < Invite.textLimit / 2, "wrapped it has room, too")
    }

    @Test("an invite is read from a link, also a wrapped one with words before it") func link() throws {
        let invite = try invite()
        let text = try invite.text()
        let link = "https://focus.example:7855/#\(text)"
        for text in [
            link, link.uppercased(), "On a phone or in a browser: \(link)\n",
            " \(link.prefix(12))\r\n  \(link.dropFirst(12).prefix(60))\n\(link.dropFirst(72))", "#\(text)",
        ] {
            #expect(try Invite(text) == invite, "\(text)")
        }
        #expect(code(try Invite(String(link.dropLast()))) == .mistypedInvite)
        for link in [
            "https://focus.example/#", "https://focus.example/#devices", "https://focus.example/\(text)",
        ] {
            #expect(code(try Invite(link)) == .notAnInvite, "\(link)")
        }
        #expect(code(try Invite("https://focus.example/#lockstep2-abcdef")) == .newerInvite)
    }

    @Test("a mistyped character, a missing one and one too many are each found") func mistyped() throws {
        let text = try invite().text()
        let seed = UInt64.random(in: 0...UInt64.max)
        var generator = SeededGenerator(seed: seed)
        let alphabet = Array("abcdefghijklmnopqrstuvwxyz234567")
        for index in text.indices.dropFirst("lockstep1-".count) {
            let wrong = try #require(alphabet.filter { $0 != text[index] }.randomElement(using: &generator))
            let rest = text[text.index(after: index)...]
            for changed in [text[..<index] + [wrong] + rest, text[..<index] + [wrong] + text[index...]] {
                #expect(
                    code(try Invite(String(changed))) == .mistypedInvite,
                    "seed \(seed)")
            }
            #expect(
                code(try Invite(String(text[..<index]))) == .mistypedInvite,
                "seed \(seed)")
        }
    }

    @Test("an invite has one text: bits that its last character has to spare are zero") func spareBits()
        throws
    {
        let alphabet = Array("abcdefghijklmnopqrstuvwxyz234567")
        // An invite has 55 bytes and its address. At 5 bits a character, these lengths leave every possible
        // number of spare bits.
        for length in 1...5 {
            let text = try invite([String(repeating: "a", count: length)]).text()
            let bits = (55 + length) * 8
            let spare = (5 - bits % 5) % 5
            let value = try #require(text.last.flatMap(alphabet.firstIndex(of:)))
            #expect(value % (1 << spare) == 0)
            for extra in 0..<1 << spare where extra > 0 {
                let changed = text.dropLast() + [alphabet[value + extra]]
                #expect(code(try Invite(String(changed))) == .mistypedInvite, "\(length) and \(extra)")
            }
            // The text can't have one more character of zero bits, either.
            #expect(code(try Invite(text + "a")) == .mistypedInvite)
        }
    }

    @Test("other text is no invite, and an invite of a later version says so") func others() {
        let cases: [(String, SealError.Code)] = [
            ("", .notAnInvite), ("hello", .notAnInvite), ("https://example.org/", .notAnInvite),
            ("lockstep", .notAnInvite), ("lockstep1-", .mistypedInvite), ("lockstep-abc", .mistypedInvite),
            ("lockstep2-abcdef", .newerInvite), ("lockstep10-abcdef", .newerInvite),
            ("lockstep1-0189", .mistypedInvite),
        ]
        for (text, expected) in cases {
            #expect(code(try Invite(text)) == expected, "\(text)")
        }
    }

    @Test("an invite has 1 to 8 addresses of 1 to 255 bytes") func addresses() throws {
        #expect(try Invite(invite([String](repeating: "a", count: 8)).text()).addresses.count == 8)
        #expect(
            try Invite(invite([String(repeating: "ä", count: 127)]).text()).addresses[0].utf8.count == 254)
        for addresses in [[], [String](repeating: "a", count: 9), [""], [String(repeating: "a", count: 256)]]
        {
            #expect(throws: SealError.self) { try invite(addresses) }
        }
    }

    @Test("a wrapped group key opens with the invite that wrapped it alone") func wrapping() throws {
        let bundle = GroupBundle(group: Vectors.group, key: try Vectors.key())
        let (secret, other) = (try InviteSecret.random(), try InviteSecret.random())
        var wrapped = try secret.wrap(bundle)
        #expect(try secret.unwrap(wrapped) == bundle)
        #expect(code(try other.unwrap(wrapped)) == .notAuthentic)
        wrapped[20] ^= 1
        #expect(code(try secret.unwrap(wrapped)) == .notAuthentic)
    }
}
