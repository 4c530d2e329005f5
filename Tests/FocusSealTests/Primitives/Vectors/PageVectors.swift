import FocusCore

@testable import FocusSeal

/// The inputs of docs/protocol.md, "Test vectors".
enum Vectors {
    static let group = GroupID(high: 0xa0a1_a2a3_a4a5_a6a7, low: 0xa8a9_aaab_acad_aeaf)
    static let replica = ReplicaID(rawValue: 0x9f2c_6a1b_00d4_e7aa)
    static func key() throws(SealError) -> EpochKey { try key(from: 0) }
    static func sealer() throws(SealError) -> Sealer { try Sealer(group: group, keys: [key()]) }

    static let startStamp = Stamp(rawValue: 1_763_661_600_000 << 16)
    static let start = Event(
        replica: replica, seq: 1, stamp: startStamp, action: .start(Action.Start(label: "Write")))
    static let pause = Event(
        replica: replica, seq: 2, stamp: Stamp(rawValue: 1_763_661_900_000 << 16 | 3),
        action: .pause(RunID(stamp: startStamp, replica: replica), at: nil))

    /// The epoch's key of the 32 bytes from `first` on.
    static func key(from first: UInt8) throws(SealError) -> EpochKey {
        try EpochKey(SecretBytes(Array(first..<first + 32)))
    }

    /// The device with 32 times this byte as its private key.
    static func device(_ number: UInt8) throws(SealError) -> AgreementKey {
        try AgreementKey(number: SecretBytes(Array(repeating: number, count: 32)))
    }

    static func inviteSecret() throws(SealError) -> InviteSecret {
        guard let secret = InviteSecret(SecretBytes(Array(0x40..<0x50))) else {
            throw SealError(.file, "no invite's secret")
        }
        return secret
    }

    static func invite() throws(SealError) -> Invite {
        let hash = "b3eacd33433b31b5252351032c9b3e7a2e7aa7738d5decdf0dd6c62680853c06"
        guard let server = Digest(hexadecimal: hash) else { throw SealError(.file, "no server's hash") }
        return try Invite(
            kind: .joinGroup(GroupMark(of: group)), addresses: ["focus.example.org", "192.0.2.7:7900"],
            server: ServerPin(server), secret: inviteSecret())
    }
}

extension SealVector {
    /// The vectors of docs/protocol.md, made with other programs: HMAC and SHA-256 from Python, CMAC and CTR
    /// mode from the `openssl` command, and the epoch's record by Python's `cryptography`.
    static var pages: [SealVector] { events + invites + epochs }

    private static var events: [SealVector] {
        let (start, pause) = (Vectors.start, Vectors.pause)
        return [
            event(
                "start", start, plain: "0101055772697465",
                header:
                    "a0a1a2a3a4a5a6a7a8a9aaabacadaeaf630dcd2966c433669f2c6a1b00d4e7aa0000000000000001019aa26c55000000",
                body:
                    "9eeb6f1a77cf785a93a8047326cb2b4013d3fd11582f84c3bc373a868f8e33a38b133ea235a8a9ef979134c79ef786f9"
                    + "73825f3ef1786a78f9e75fe6152227815b483f4a6a2ce47164562b963eba776d"),
            event(
                "pause", pause, plain: "0200019aa26c550000009f2c6a1b00d4e7aa",
                header:
                    "a0a1a2a3a4a5a6a7a8a9aaabacadaeaf630dcd2966c433669f2c6a1b00d4e7aa0000000000000002019aa270e8e00003",
                body:
                    "5fc7036f056833d888ba9aa3e7bee9f6fef67a37251dbd9523ddd8590726e40b6bb30ea08d9f85eb8128c3beb5dc73ce"
                    + "d23614fa580ef57a39f2aef23e70efa95a9ff074b8fb36e462c8e2f01b52c2d1"),
            SealVector(
                "the chain of both events, and the branch",
                "8f8782640eb0247f123af8c956fe2cb1 323e8c1dfa48cfe9f08a742b29a1fae3 9e41712ab4436be8"
            ) { () throws(SealError) in
                let sealer = try Vectors.sealer()
                let epoch = try Vectors.key().epoch
                var hasher = try ChainHasher(group: Vectors.group)
                let first = try hasher.chain(after: .empty, sealer.seal(start, epoch: epoch))
                let second = try hasher.chain(after: first, sealer.seal(pause, epoch: epoch))
                let branch = try ReplicaID.branch(of: Vectors.replica, chain: second)
                return hexadecimal(first.bytes) + " " + hexadecimal(second.bytes) + " "
                    + hexadecimal(branch.rawValue)
            },
        ]
    }

    private static func event(
        _ name: String, _ event: Event, plain: String, header: String, body: String
    ) -> SealVector {
        SealVector("the sealed event: \(name)", plain + " " + header + " " + body) { () throws(SealError) in
            let sealer = try Vectors.sealer()
            let sealed = try sealer.seal(event, epoch: Vectors.key().epoch)
            guard try sealer.open(sealed) == event,
                sealer.plaintext(of: [sealed]) == [.success(event.action.encoded())]
            else { return "altered" }
            return hexadecimal(event.action.encoded()) + " "
                + hexadecimal(sealed.header(group: Vectors.group)) + " " + hexadecimal(sealed.body)
        }
    }

    private static var invites: [SealVector] {
        let text =
            "lockstep1-akz6vtjtim5tdnjfeniqgle3hz5c46vhoogv33g7bxlmmjuaqu6amqcbijbuirkgi5eesssljrgu4t5a"
            + "ugrkgaqrmzxwg5ltfzsxqylnobwgkltpojtq4mjzgixdalrsfy3tunzzgaylwiqhee"
        return [
            SealVector(
                "an invite's token", "542712afceb55e16045959163da4af7f97e42649b79a7099a3da69af5d489e0b"
            ) {
                () throws(SealError) in
                hexadecimal(try Vectors.inviteSecret().token().bytes.exposed())
            },
            SealVector("a token's hash", "5b9ac6da0d9c8e8815fc7595a10545fb5be4242c3ce60f4c91a6c5af9d192f36") {
                () throws(SealError) in try Vectors.inviteSecret().token().hash().hexadecimal
            },
            SealVector(
                "a wrapped group",
                "0625618583fcead53ce2c097fedfd18989bcf99ee7abca83ae34a7d5c76601823560fdb1b97248f7779aff7c079f7970"
                    + "3e11c0665f5c6bb9cc0866ec10689826"
            ) { () throws(SealError) in
                let (secret, bundle) = try (
                    Vectors.inviteSecret(), GroupBundle(group: Vectors.group, key: Vectors.key())
                )
                let wrapped = try secret.wrap(bundle)
                return try secret.unwrap(wrapped) == bundle ? hexadecimal(wrapped) : "altered"
            },
            SealVector("an invite's text", text) { () throws(SealError) in try Vectors.invite().text() },
            SealVector("an invite of that text") { () throws(SealError) in
                try Invite(text) == Vectors.invite()
            },
        ]
    }

    private static var epochs: [SealVector] {
        [
            SealVector(
                "a device's public key and hash",
                "04550f471003f3df97c3df506ac797f6721fb1a1fb7b8f6f83d224498a65c88e24136093d7012e509a73715cbd0b00a3cc0f"
                    + "f4b5c01b3ffa196ab1fb327036b8e6"
                    + " 5a07a723c7956830ae2e6be0ef71b3991162f5ea42d2d54b869cf216734d78d3"
            ) { () throws(SealError) in
                let device = try Vectors.device(2).publicKey
                return hexadecimal(device.bytes) + " " + (try device.hash().hexadecimal)
            },
            SealVector("an epoch's record", "82d86408530b765e " + record) { () throws(SealError) in
                var devices: [Digest: PublicKey] = [:]
                for number in [1, 2] as [UInt8] {
                    let key = try Vectors.device(number).publicKey
                    devices[try key.hash()] = key
                }
                let making = EpochBody.Inputs(
                    group: Vectors.group, predecessor: try Vectors.key(),
                    otherKeys: [try Vectors.key(from: 0x20)], devices: devices,
                    revoked: [try Vectors.device(3).publicKey.hash()])
                // The epoch's key is drawn first, then the ephemeral key.
                var secrets: [[UInt8]] = [Array(0x80..<0xa0), Array(0xc0..<0xe0)]
                let (key, body) = try EpochBody.make(making) { (_) throws(SealError) in
                    SecretBytes(secrets.removeFirst())
                }
                return hexadecimal(key.epoch.rawValue) + " " + hexadecimal(body.bytes)
            },
        ]
            + ([1, 2] as [UInt8]).map { number in
                SealVector("device \(number) opens that record, and sees who made it") {
                    () throws(SealError) in
                    let (body, id) = try (EpochBody(octets(record)), recordID())
                    let key = try body.key(of: id, for: Vectors.device(number))
                    let older = try body.olderKeys(of: id, with: key)
                    let (own, others) = try (
                        Vectors.key(from: 0x80), [Vectors.key(), Vectors.key(from: 0x20)]
                    )
                    let isProven = try body.isProven(id, by: others[0])
                    let isProvenByOther = try body.isProven(id, by: others[1])
                    return key == own && older == others && isProven && !isProvenByOther
                }
            } + [
                SealVector("device 3 doesn't open that record", .notIncluded) { () throws(SealError) in
                    let key = try EpochBody(octets(record)).key(of: recordID(), for: Vectors.device(3))
                    return hexadecimal(key.epoch.rawValue)
                }
            ]
    }

    private static func recordID() throws(SealError) -> EpochRecordID {
        EpochRecordID(
            group: Vectors.group, epoch: try Vectors.key(from: 0x80).epoch,
            predecessor: try Vectors.key().epoch)
    }

    private static let record =
        "010473a56eced343896b8adeea1d0a26b196f4e0ebb4209c601a46ef6a27c5477451f13b88419aff65c0c1112310f1e6e5bf1ba8"
        + "2589f889f0f228e1cec9ed88f8bd00025a07a723c7956830ae2e6be0ef71b3991162f5ea42d2d54b869cf216734d78d31e34e6cf"
        + "adc74bd58d3e37fac58cd31ed9db823629f0dce6a1185b642d0254fb405a79a05b9966c179e7af4c49773a4cf857ae4ed6e34e33"
        + "761aea25caaee3fe54a15960fb92dcd63a375ab121deb2a942b951b9a4800d1ceb4850d9360c5845a32b82237285c84f81517dff"
        + "49a27e902917aa7465a73669079ff5050e3901c30001df82ce6080b0efd08d4ae63a2244ff6cbea9a5475268cdade337122ecc67"
        + "f2a60002630dcd2966c4336672dbb7336c7678004f9abd57058519c494e4a92bc51ce21bce479d6893fba7effc46a3c32c4a5b68"
        + "5ed65497f9c6f080360963fe31eba962f5334976244a71686c2ccb02f771d27d1bb63fd7c9ac86edd865d0d7fc599539e04a0148"
        + "1715349acee18e3811805627dc91fd605d83eb5e0e25bc5e2250dd1e6c7bfb49da117ef572398d11ee7f807f"
}
