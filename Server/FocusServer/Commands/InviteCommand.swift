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
        let identity = try folder.loadIdentity()
        let store = try ServerStore(at: folder.store, access: .readWrite)
        let secret = try InviteSecret.random()
        let expires = ServerClock.wall() + lifetime.components.seconds * 1000
        let text = try store.write {
            let invite = try Invite(
                kind: .bringGroup, addresses: store.addresses(),
                server: ServerPin(identity.keyHash, next: store.announcedKey()?.key), secret: secret)
            let text = try invite.text()
            try store.addInvite(secret.token().hash(), group: nil, bundle: nil, expires: expires)
            try AuditLog(folder).write("invite-made", [("expires", Instant.text(expires))])
            return text
        }
        console.messages("On a laptop: focus join, and this line. It can be used once.\n")
        try console.data("\(text)\n")
    }
}
