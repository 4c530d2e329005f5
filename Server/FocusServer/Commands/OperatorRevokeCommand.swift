import CommandLineKit
import FocusCore
import FocusSeal
import FocusServerFiles
import FocusServerStore
import FocusServing
import FocusWriter
import SQLiteKit

/// `focusd devices revoke`: keeps a device out for good. A server that runs closes its connections within a second.
struct OperatorRevokeCommand {
    /// The device's id, the first hexadecimal digits of its key's hash, or its name.
    let id: String

    func run(_ folder: DataFolder, _ console: FocusdProgram.Console) throws {
        let store = try SQLiteServerStore(at: folder.store, access: .readWrite)
        let device = try store.write { store in
            let device = try store.device(id, in: folder).device
            guard try store.keepOut(device.key, now: ServerClock.wall()) else {
                throw CommandFailure("The device \(device.key.short) was already revoked.", .notNow)
            }
            try AuditLog(folder).write("device-revoked", [("device", device.key.hexadecimal)])
            return device
        }
        console.messages("The device \(device.key.short) is kept out from now on.\n")
    }
}
