import FocusCore
import FocusSeal
import Testing

@Suite struct EpochBodyTests {
    private let old: EpochKey
    private let devices: [AgreementKey]
    private let key: EpochKey
    private let body: EpochBody
    private let id: EpochRecordID

    init() throws {
        old = try EpochKey.random()
        devices = try (1...3).map { try Vectors.device(UInt8($0)) }
        let keys = devices.prefix(2).map(\.publicKey)
        let making = EpochBody.Inputs(
            group: Vectors.group, predecessor: old, otherKeys: [],
            devices: Dictionary(uniqueKeysWithValues: try keys.map { (try $0.hash(), $0) }),
            revoked: [try devices[2].publicKey.hash()])
        (key, body) = try EpochBody.make(making, SecretBytes.random)
        id = EpochRecordID(group: Vectors.group, epoch: key.epoch, predecessor: old.epoch)
    }

    @Test("a new epoch opens for the devices that it was made for, and for nobody else") func members() throws
    {
        for device in devices.prefix(2) {
            #expect(try body.key(of: id, for: device) == key)
            #expect(body.devices.contains(try device.publicKey.hash()))
        }
        #expect(code(try body.key(of: id, for: devices[2])) == .notIncluded)
        #expect(try body.revoked == [devices[2].publicKey.hash()])
        #expect(try body.olderKeys(of: id, with: key) == [old])
        #expect(try body.isProven(id, by: old))
    }

    @Test("two epochs made of the same have nothing secret in common") func freshness() throws {
        let making = EpochBody.Inputs(
            group: Vectors.group, predecessor: old, otherKeys: [], devices: [:], revoked: [])
        #expect(code(try EpochBody.make(making, SecretBytes.random)) == .malformedRecord)
        let hash = try devices[0].publicKey.hash()
        let one = EpochBody.Inputs(
            group: Vectors.group, predecessor: old, otherKeys: [], devices: [hash: devices[0].publicKey],
            revoked: [])
        let (first, second) = (
            try EpochBody.make(one, SecretBytes.random), try EpochBody.make(one, SecretBytes.random)
        )
        #expect(first.key != second.key)
        #expect(first.body != second.body)
    }

    @Test("a change to any byte of a record is found")
    func alteration() throws {
        for index in body.bytes.indices {
            var bytes = body.bytes
            bytes[index] ^= 1
            guard let altered = try? EpochBody(bytes) else { continue }
            // Every change is found with only the predecessor's key, too.
            let isProven = try altered.isProven(id, by: old)
            #expect(!isProven, "byte \(index)")
            let opens = (try? altered.key(of: id, for: devices[0])) == key
            let isWhole = (try? altered.olderKeys(of: id, with: key)) == [old]
            let isInProof = index >= body.bytes.count - 32
            #expect(isInProof || !(opens && isWhole), "byte \(index)")
        }
    }

    @Test("a record of another group, epoch or predecessor doesn't open") func otherIDs() throws {
        let others = [
            EpochRecordID(group: GroupID(high: 1, low: 2), epoch: key.epoch, predecessor: old.epoch),
            EpochRecordID(group: Vectors.group, epoch: old.epoch, predecessor: old.epoch),
            EpochRecordID(group: Vectors.group, epoch: key.epoch, predecessor: EpochID(rawValue: 1)),
        ]
        for other in others {
            #expect(code(try body.key(of: other, for: devices[0])) == .notAuthentic)
            #expect(code(try body.olderKeys(of: other, with: key)) == .notAuthentic)
            #expect(try !body.isProven(other, by: old))
        }
    }

    @Test("nobody without the predecessor's key makes a record that looks like the group's") func forgery()
        throws
    {
        let forger = try EpochKey.random()
        let hash = try devices[0].publicKey.hash()
        let making = EpochBody.Inputs(
            group: Vectors.group, predecessor: forger, otherKeys: [], devices: [hash: devices[0].publicKey],
            revoked: [])
        let (forged, record) = try EpochBody.make(making, SecretBytes.random)
        let id = EpochRecordID(group: Vectors.group, epoch: forged.epoch, predecessor: old.epoch)
        #expect(try !record.isProven(id, by: old))
    }

    @Test("a body that is cut off, too long or out of order is refused") func malformation() throws {
        for count in body.bytes.indices {
            #expect(code(try EpochBody(Array(body.bytes.prefix(count)))) == .malformedRecord)
        }
        #expect(code(try EpochBody(body.bytes + [0])) == .malformedRecord)
        var bytes = body.bytes
        // The record's two devices, in the wrong order.
        let (first, size) = (68, 80)
        let swapped = bytes[first + size..<first + 2 * size] + bytes[first..<first + size]
        bytes.replaceSubrange(first..<first + 2 * size, with: swapped)
        #expect(code(try EpochBody(bytes)) == .malformedRecord)
        bytes = body.bytes
        bytes.replaceSubrange(66..<68, with: [0xff, 0xff])
        #expect(code(try EpochBody(bytes)) == .malformedRecord)
    }

    @Test("a public key that is no point on the curve is refused where it is used") func points() throws {
        var bytes = devices[0].publicKey.bytes
        bytes[64] ^= 1
        let key = try PublicKey(bytes)
        let making = EpochBody.Inputs(
            group: Vectors.group, predecessor: old, otherKeys: [], devices: [try key.hash(): key], revoked: []
        )
        #expect(!key.isOnCurve)
        #expect(code(try EpochBody.make(making, SecretBytes.random)) == .malformedKey)
        #expect(code(try PublicKey([4, 1])) == .malformedKey)
        #expect(code(try AgreementKey(number: SecretBytes(Array(repeating: 0, count: 32)))) == .malformedKey)
    }

    @Test("a device's identity agrees on secrets as who it is") func identity() throws {
        let identity = try DeviceIdentity.generate()
        let own = try AgreementKey(identity)
        #expect(try own.publicKey.hash() == identity.keyHash)
        let making = EpochBody.Inputs(
            group: Vectors.group, predecessor: old, otherKeys: [], devices: [identity.keyHash: own.publicKey],
            revoked: [])
        let (key, body) = try EpochBody.make(making, SecretBytes.random)
        let id = EpochRecordID(group: Vectors.group, epoch: key.epoch, predecessor: old.epoch)
        #expect(try body.key(of: id, for: own) == key)
    }
}
