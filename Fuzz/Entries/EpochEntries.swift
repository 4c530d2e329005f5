import FocusCore
import FocusSeal

/// The bodies of epochs' records: what is read is the bytes that it was read from, and opens for nobody whom it wasn't
/// made for.
func fuzzEpochs(_ input: [UInt8]) throws {
    guard let body = try? EpochBody(input) else { return }
    try hold(body.bytes == input, "a body is the bytes that it was read from")
    try hold(body.devices.count <= EpochBody.deviceLimit, "a body names no more devices than it may")
    try hold(!body.older.isEmpty && body.older.count <= EpochBody.olderLimit, "a body names older epochs")
    let group = GroupID(high: 0xa0a1_a2a3_a4a5_a6a7, low: 0xa8a9_aaab_acad_aeaf)
    let old = try EpochKey(SecretBytes(Array(0..<32)))
    // The ids of docs/protocol.md, "Test vectors", so that its record opens, and what is made of it nearly does.
    let place = EpochPlace(
        group: group, epoch: EpochID(rawValue: 0x82d8_6408_530b_765e), predecessor: old.epoch)
    let device = try AgreementKey(number: SecretBytes(Array(repeating: 1, count: 32)))
    guard let key = try? body.key(of: place, for: device),
        let older = try? body.olderKeys(of: place, with: key)
    else { return }
    try hold(older.map(\.epoch) == body.older, "the older keys are those of the epochs that are named")
}
