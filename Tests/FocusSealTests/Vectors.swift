import FocusCore
import FocusSeal

/// The inputs of docs/protocol.md, "Test vectors".
enum Vectors {
    static let group = GroupID(high: 0xa0a1_a2a3_a4a5_a6a7, low: 0xa8a9_aaab_acad_aeaf)
    static let replica = ReplicaID(rawValue: 0x9f2c_6a1b_00d4_e7aa)
    static func key() throws(SealError) -> EpochKey { try EpochKey(SecretBytes(Array(0..<32))) }
    static func sealer() throws(SealError) -> Sealer { try Sealer(group: group, keys: [key()]) }

    static let startStamp = Stamp(rawValue: 1_763_661_600_000 << 16)
    static let start = Event(
        replica: replica, seq: 1, stamp: startStamp, action: .start(Action.Start(label: "Write")))
    static let pause = Event(
        replica: replica, seq: 2, stamp: Stamp(rawValue: 1_763_661_900_000 << 16 | 3),
        action: .pause(RunID(stamp: startStamp, replica: replica), at: nil))
}
