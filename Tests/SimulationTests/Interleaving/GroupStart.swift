import FocusCore
import FocusDevice
import FocusLink
import FocusSeal
import FocusStore
import FocusSync
import SQLiteKit
import Simulation
import TestSupport
import Testing

/// The disks of a group of two laptops on a server, before programs run at the same time.
struct GroupStart {
    let laptop: DiskImage
    let other: DiskImage
    let server: DiskImage
    /// The time at that point, in microseconds.
    let time: Int64

    /// The start that all tests share, because making one takes long.
    static let made = Result { try GroupStart() }

    /// Returns the key of the laptop with this number.
    static func identity(_ number: UInt64) throws -> AgreementKey {
        var random = SeededGenerator(seed: 0x1D00 + number)
        return try .random { (count) throws(SealError) in SecretBytes(random.bytes(count)) }
    }

    static var serverKey: Digest { Digest(InlineArray(repeating: 7)) }

    /// Returns the secret of the invite with this number.
    static func secret(_ number: UInt64) throws -> InviteSecret {
        var random = SeededGenerator(seed: 0x5EC0 + number)
        return try #require(InviteSecret(SecretBytes(random.bytes(InviteSecret.length))))
    }

    private init() throws {
        let group = try BusyGroup(seed: 1, nil)
        let secret = try GroupStart.secret(1)
        try group.server.addInvite(try secret.token().hash())
        group.laptop.interleaver.add {
            let loop = ProgramLoop(group.laptop.interleaver)
            let device = try group.laptop.open()
            var dice = SeededGenerator(seed: 2)
            try device.store.setValue(dice.bytes(48), for: .plannedGroup)
            let bringing = try Invite(
                kind: .bringGroup, addresses: ["server"], server: ServerPin(GroupStart.serverKey),
                secret: secret)
            try group.run(.join(bringing, name: nil, .takeAlong), on: device, loop)
            let invite = try group.invite(by: device, loop)
            try group.run(
                .join(invite, name: nil, .leaveBehind), on: try group.openOther(), loop,
                as: group.otherIdentity)
        }
        group.laptop.run()
        if let failure = group.laptop.interleaver.programs.lazy.compactMap(\.failure).first { throw failure }
        time = group.laptop.interleaver.now
        (laptop, other, server) = (
            group.laptop.disk.image(), group.otherDisk.image(), group.serverDisk.image()
        )
        group.releaseReferences()
    }
}
