import FocusCore
import FocusSeal
import FocusServerCore
import FocusServerStore

/// A creator of many invites in one process, because `focusd invite` takes a process for each.
enum ManyInvites {
    /// Runs `invites STORE COUNT`: prints `COUNT` invites of a server. Standard input is one invite of that
    /// server, for its addresses and key. `STORE` is the server's store, a file or the address of a database.
    static func run(_ words: ArraySlice<String>) throws {
        guard let path = words.first, let count = words.dropFirst().first.flatMap({ Int($0) }),
            let sample = try readLine().map({ try Invite($0) })
        else { throw Programs.Failed(description: "invites STORE COUNT") }
        let store = try (StoreLocation(path) ?? .folder).open(file: path, .writing)
        let expires = ServerClock.wall() + .seconds(3600)
        let invites = try store.write { store in
            try (0..<count).map { _ in
                let secret = try InviteSecret.random()
                try store.addInvite(secret.token().hash(), group: nil, bundle: nil, expires: expires, by: nil)
                return try Invite(
                    kind: .bringGroup, addresses: sample.addresses, server: sample.server, secret: secret)
            }
        }
        for invite in invites { print(try invite.text()) }
    }
}
