/// The byte that says what a frame is (docs/protocol.md, "Messages"). The numbers never change.
package enum MessageType: UInt8, Hashable, Sendable, CaseIterable {
    // These four keep their layout in every version of the protocol.
    case hello = 0x01
    case greeting = 0x02
    case error = 0x03
    case bye = 0x04

    case ping = 0x05
    case pong = 0x06

    case enrol = 0x10
    case enrolled = 0x11
    case welcome = 0x12
    case have = 0x13
    case want = 0x14

    case upload = 0x20
    case ack = 0x21
    case push = 0x22
    case chainsAsked = 0x23
    case chains = 0x24

    case createInvite = 0x30
    case inviteCreated = 0x31
    case revoke = 0x32
    case revoked = 0x33
    case refused = 0x34

    case presence = 0x40
    case roster = 0x41
    case epoch = 0x42
    case successor = 0x43
}
