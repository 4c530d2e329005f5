import CommandLineKit
import FocusCore
import FocusNet
import FocusSeal
package import FocusServerFiles
import FocusServerStore
import SQLiteKit
import SystemKit

/// `focusd init`: makes the server's key and its store, or changes the addresses of one that is there.
package struct InitCommand {
    let addresses: [String]

    /// - Parameter addresses: what invites name; where empty, what is kept, or else the machine's name.
    package init(addresses: [String]) { self.addresses = addresses }

    /// Does it in this folder.
    ///
    /// - Throws: `CommandFailure`, or what keeps the folder from being used.
    package func run(_ folder: DataFolder, _ console: FocusdProgram.Console) throws {
        guard addresses.count <= Invite.addressLimit else {
            throw CommandFailure("An invite names at most \(Invite.addressLimit) addresses.", .usage)
        }
        try folder.create()
        let identity = try IdentityFile(path: folder.identity).loadOrCreate()
        if access(folder.store, F_OK) == 0 {
            try folder.upgradeStore { console.messages(folder.sentence(on: $0)) }
        }
        let store = try SQLiteServerStore(at: folder.store, access: .readWriteCreate)
        let kept = try store.write { store in
            let before = try store.addresses()
            guard !addresses.isEmpty || before.isEmpty else { return before }
            let new = addresses.isEmpty ? [try InitCommand.hostName()] : addresses
            try store.setAddresses(new)
            try AuditLog(folder).write("addresses-set", [("addresses", new.joined(separator: ","))])
            return new
        }
        let next = DataLock.isHeld(folder) ? "It serves already." : "Next: \(folder.command("serve"))"
        try console.data(
            """
            The server in \(folder.path) has the key \(identity.keyHash.hexadecimal).
            Invites name \(kept.joined(separator: ", ")).
            \(next)
            Then, for each group: \(folder.command("invite"))

            """)
    }

    private static func hostName() throws(CommandFailure) -> String {
        var name = [CChar](repeating: 0, count: 256)
        guard gethostname(&name, name.count - 1) == 0 else {
            throw CommandFailure("This machine has no name. Say how laptops reach it with --address.")
        }
        let text = String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        guard Address(text) != nil else {
            throw CommandFailure("This machine has no name. Say how laptops reach it with --address.")
        }
        return text
    }
}
