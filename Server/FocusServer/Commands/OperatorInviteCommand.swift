import CommandLineKit
import FocusCore
import FocusSeal
package import FocusServerFiles
import FocusServerStore
import FocusText
import FocusWriter
import SQLiteKit

/// `focusd invite`: the right to bring one group to this server. It works while the server runs, and while it
/// doesn't.
package struct OperatorInviteCommand {
    let lifetime: Duration

    /// - Parameter lifetime: how long the invite may be used.
    package init(lifetime: Duration) { self.lifetime = lifetime }

    /// Makes one for the server in this folder, and prints it.
    ///
    /// - Throws: what keeps the folder, its key or its store from being used.
    package func run(_ folder: DataFolder, _ console: FocusdProgram.Console) throws {
        let identity = try folder.loadIdentity()
        let store = try SQLiteServerStore(at: folder.store, access: .readWrite)
        let secret = try InviteSecret.random()
        let expires = ServerClock.wall() + lifetime
        let text = try store.write { store in
            let invite = try Invite(
                kind: .bringGroup, addresses: store.addresses(),
                server: ServerPin(identity.keyHash, next: store.announcedKey()?.key), secret: secret)
            let text = try invite.text()
            try store.addInvite(secret.token().hash(), group: nil, bundle: nil, expires: expires, by: nil)
            try AuditLog(folder).write("invite-made", [("expires", InstantText.text(expires))])
            return text
        }
        let minutes = lifetime.components.seconds / 60
        let time =
            lifetime == .seconds(minutes * 60) && minutes < 60
            ? "\(minutes) minute\(minutes == 1 ? "" : "s")" : DurationText.text(lifetime)
        console.messages("On a laptop: focus join, and this line. It can be used once, within \(time).\n")
        if !DataLock.isHeld(folder) {
            console.messages("No server is running there now. This starts it: \(folder.command("serve"))\n")
        }
        try console.data("\(text)\n")
    }
}
