import CommandLineKit
import FocusCore
import FocusSeal
import FocusText
import SQLiteKit

/// `focusd invite`: the right to bring one group to this server. It works while the server runs, and while it
/// doesn't.
struct InviteCommand {
    let lifetime: Duration

    func run(_ folder: DataFolder, _ console: FocusdProgram.Console) throws {
        guard let identity = try IdentityFile(path: folder.identity).load() else {
            throw CommandFailure("\(folder.identity) has gone. Without it no laptop knows this server.")
        }
        let store = try ServerStore(at: folder.store, access: .readWrite)
        let secret = try InviteSecret.random()
        let invite = try Invite(
            kind: .bringGroup, addresses: store.addresses(), server: identity.keyHash, secret: secret)
        let text = try invite.text()
        let expires = ServerClock.wall() + lifetime.components.seconds * 1000
        try store.write {
            try store.addInvite(secret.token().hash(), group: nil, bundle: nil, expires: expires)
            try AuditLog(folder).write("invite-made", [("expires", Instant.text(expires))])
        }
        console.messages("On a laptop: focus join, and this line. It can be used once.\n")
        try console.data("\(text)\n")
    }
}
