import FocusCore
import FocusSeal
import Testing

/// The vectors of docs/protocol.md, "An epoch's record", made with Python's `cryptography`.
@Suite struct EpochVectorTests {
    static let body =
        "010473a56eced343896b8adeea1d0a26b196f4e0ebb4209c601a46ef6a27c5477451f13b88419aff65c0c1112310f1e6e5bf1ba8"
        + "2589f889f0f228e1cec9ed88f8bd00025a07a723c7956830ae2e6be0ef71b3991162f5ea42d2d54b869cf216734d78d31e34e6cf"
        + "adc74bd58d3e37fac58cd31ed9db823629f0dce6a1185b642d0254fb405a79a05b9966c179e7af4c49773a4cf857ae4ed6e34e33"
        + "761aea25caaee3fe54a15960fb92dcd63a375ab121deb2a942b951b9a4800d1ceb4850d9360c5845a32b82237285c84f81517dff"
        + "49a27e902917aa7465a73669079ff5050e3901c30001df82ce6080b0efd08d4ae63a2244ff6cbea9a5475268cdade337122ecc67"
        + "f2a60002630dcd2966c4336672dbb7336c7678004f9abd57058519c494e4a92bc51ce21bce479d6893fba7effc46a3c32c4a5b68"
        + "5ed65497f9c6f080360963fe31eba962f5334976244a71686c2ccb02f771d27d1bb63fd7c9ac86edd865d0d7fc599539e04a0148"
        + "1715349acee18e3811805627dc91fd605d83eb5e0e25bc5e2250dd1e6c7bfb49da117ef572398d11ee7f807f"

    static func key(from first: UInt8) throws -> EpochKey {
        try EpochKey(SecretBytes(Array(first..<first + 32)))
    }

    static func device(_ number: UInt8) throws -> AgreementKey {
        try AgreementKey(number: SecretBytes(Array(repeating: number, count: 32)))
    }

    @Test("a device's private key gives the vectors' public key and hash") func devices() throws {
        let device = try EpochVectorTests.device(2).publicKey
        #expect(
            hexadecimal(device.bytes)
                == "04550f471003f3df97c3df506ac797f6721fb1a1fb7b8f6f83d224498a65c88e24136093d7012e509a73715cbd0b00a3cc0f"
                + "f4b5c01b3ffa196ab1fb327036b8e6")
        #expect(
            try device.hash().hexadecimal
                == "5a07a723c7956830ae2e6be0ef71b3991162f5ea42d2d54b869cf216734d78d3")
    }

    @Test("an epoch that is made of the vectors' secrets has the vectors' record") func making() throws {
        let devices = try [EpochVectorTests.device(1), EpochVectorTests.device(2)].map(\.publicKey)
        let making = EpochBody.Inputs(
            group: Vectors.group, predecessor: try Vectors.key(),
            otherKeys: [try EpochVectorTests.key(from: 0x20)],
            devices: Dictionary(uniqueKeysWithValues: try devices.map { (try $0.hash(), $0) }),
            revoked: [try EpochVectorTests.device(3).publicKey.hash()])
        // The epoch's key is drawn first, then the ephemeral key.
        var secrets: [[UInt8]] = [Array(0x80..<0xa0), Array(0xc0..<0xe0)]
        let (key, body) = try EpochBody.make(making) { _ in SecretBytes(secrets.removeFirst()) }
        #expect(hexadecimal(key.epoch.rawValue) == "82d86408530b765e")
        #expect(hexadecimal(body.bytes) == EpochVectorTests.body)
    }

    @Test("each device of the vectors opens the record, and sees who made it") func opening() throws {
        let body = try EpochBody(octets(EpochVectorTests.body))
        let id = EpochRecordID(
            group: Vectors.group, epoch: try EpochVectorTests.key(from: 0x80).epoch,
            predecessor: try Vectors.key().epoch)
        for number in [1, 2] as [UInt8] {
            let key = try body.key(of: id, for: EpochVectorTests.device(number))
            #expect(try key == EpochVectorTests.key(from: 0x80))
            let older = try body.olderKeys(of: id, with: key)
            #expect(try older == [Vectors.key(), EpochVectorTests.key(from: 0x20)])
            #expect(try body.isProven(id, by: older[0]))
            #expect(try !body.isProven(id, by: older[1]))
        }
        #expect(code(try body.key(of: id, for: EpochVectorTests.device(3))) == .notIncluded)
    }
}
