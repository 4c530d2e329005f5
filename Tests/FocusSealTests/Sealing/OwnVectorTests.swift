import FocusCore
import FocusSeal
import Testing

/// The vectors of docs/protocol.md, "Test vectors", made with other programs: HMAC and SHA-256 from Python, CMAC and
/// CTR mode from the `openssl` command.
@Suite struct OwnVectorTests {
    @Test("actions have the encodings, headers and sealed bodies of the vectors") func sealing() throws {
        let sealer = try Vectors.sealer()
        let epoch = try Vectors.key().epoch
        let start = try sealer.seal(Vectors.start, epoch: epoch)
        #expect(hexadecimal(Vectors.start.action.encoded()) == "0101055772697465")
        #expect(
            hexadecimal(start.header(group: Vectors.group))
                == "a0a1a2a3a4a5a6a7a8a9aaabacadaeaf630dcd2966c433669f2c6a1b00d4e7aa0000000000000001019aa26c55000000"
        )
        #expect(
            hexadecimal(start.body)
                == "9eeb6f1a77cf785a93a8047326cb2b4013d3fd11582f84c3bc373a868f8e33a38b133ea235a8a9ef979134c79ef786f9"
                + "73825f3ef1786a78f9e75fe6152227815b483f4a6a2ce47164562b963eba776d")
        let pause = try sealer.seal(Vectors.pause, epoch: epoch)
        #expect(
            hexadecimal(Vectors.pause.action.encoded()) == "0200019aa26c550000009f2c6a1b00d4e7aa")
        #expect(
            hexadecimal(pause.header(group: Vectors.group))
                == "a0a1a2a3a4a5a6a7a8a9aaabacadaeaf630dcd2966c433669f2c6a1b00d4e7aa0000000000000002019aa270e8e00003"
        )
        #expect(
            hexadecimal(pause.body)
                == "5fc7036f056833d888ba9aa3e7bee9f6fef67a37251dbd9523ddd8590726e40b6bb30ea08d9f85eb8128c3beb5dc73ce"
                + "d23614fa580ef57a39f2aef23e70efa95a9ff074b8fb36e462c8e2f01b52c2d1")
    }

    @Test("the chain runs through the vectors' events, and names the branch") func chain() throws {
        let sealer = try Vectors.sealer()
        let epoch = try Vectors.key().epoch
        var hasher = try ChainHasher(group: Vectors.group)
        let first = try hasher.chain(after: .empty, sealer.seal(Vectors.start, epoch: epoch))
        #expect(hexadecimal(first.bytes) == "8f8782640eb0247f123af8c956fe2cb1")
        let second = try hasher.chain(after: first, sealer.seal(Vectors.pause, epoch: epoch))
        #expect(hexadecimal(second.bytes) == "323e8c1dfa48cfe9f08a742b29a1fae3")
        let branch = try ReplicaID.branch(of: Vectors.replica, chain: second)
        #expect(hexadecimal(branch.rawValue) == "9e41712ab4436be8")
    }

    @Test("an invite's secret gives the vectors' token and wrapped key") func invite() throws {
        let secret = try #require(InviteSecret(SecretBytes(Array(0x40..<0x50))))
        let token = try secret.token()
        #expect(
            hexadecimal(token.bytes.exposed())
                == "542712afceb55e16045959163da4af7f97e42649b79a7099a3da69af5d489e0b")
        #expect(
            try token.hash().hexadecimal
                == "5b9ac6da0d9c8e8815fc7595a10545fb5be4242c3ce60f4c91a6c5af9d192f36")
        let bundle = GroupBundle(group: Vectors.group, key: try Vectors.key())
        let wrapped = try secret.wrap(bundle)
        #expect(
            hexadecimal(wrapped)
                == "0625618583fcead53ce2c097fedfd18989bcf99ee7abca83ae34a7d5c76601823560fdb1b97248f7779aff7c079f7970"
                + "3e11c0665f5c6bb9cc0866ec10689826")
        #expect(try secret.unwrap(wrapped) == bundle)
    }

    @Test("an invite has the vectors' text") func inviteText() throws {
        let server = try #require(
            Digest(
                hexadecimal: "b3eacd33433b31b5252351032c9b3e7a2e7aa7738d5decdf0dd6c62680853c06"))
        let secret = try #require(InviteSecret(SecretBytes(Array(0x40..<0x50))))
        let invite = try Invite(
            kind: .joinGroup(GroupMark(of: Vectors.group)),
            addresses: ["focus.example.org", "192.0.2.7:7900"], server: ServerPin(server),
            secret: secret)
        let text =
            "lockstep1-akz6vtjtim5tdnjfeniqgle3hz5c46vhoogv33g7bxlmmjuaqu6amqcbijbuirkgi5eesssljrgu4t5a"
            + "ugrkgaqrmzxwg5ltfzsxqylnobwgkltpojtq4mjzgixdalrsfy3tunzzgaylwiqhee"
        #expect(try invite.text() == text)
        #expect(try Invite(text) == invite)
    }
}
