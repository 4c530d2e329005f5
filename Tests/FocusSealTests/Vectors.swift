import FocusCore
import FocusSeal
import Testing

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

/// Returns the bytes of a vector. If it isn't hexadecimal, the test fails and the result is empty.
func octets(_ text: String) -> [UInt8] {
    let bytes = bytes(hexadecimal: text)
    #expect(bytes != nil, "a vector is not hexadecimal")
    return bytes ?? []
}

/// Returns the code of the error that `body` throws. If it throws none, the test fails and the result is nil.
func code(_ body: @autoclosure () throws -> Any?) -> SealError.Code? {
    do {
        let result = try body()
        Issue.record("no error, but \(String(describing: result))")
        return nil
    } catch {
        return (error as? SealError)?.code
    }
}
