import CommandLineKit
import FocusSeal
import FocusStore

/// What came of joining, for every front end.
package struct Joined: Hashable, Sendable {
    /// The server's addresses.
    let addresses: [String]
    /// Whether the laptop was in the group before, which is on another server now.
    let wasIn: Bool
    /// What the others call this laptop.
    package let name: String
    /// How many laptops the group has, this one included.
    let count: Int
    /// Whether another one of them is called the same.
    package let hasNamesake: Bool
    /// What a person should know besides.
    let notices: [SyncNotice]

    package init(
        addresses: [String], wasIn: Bool, name: String, count: Int, hasNamesake: Bool, notices: [SyncNotice]
    ) {
        self.addresses = addresses
        self.wasIn = wasIn
        self.name = name
        self.count = count
        self.hasNamesake = hasNamesake
        self.notices = notices
    }

    /// How a device stands that has just joined.
    init(
        _ device: Device, with invite: Invite, wasIn: Bool, notices: [SyncNotice]
    ) throws(CommandFailure) {
        let (members, name) = try device.using { device throws(StoreError) in
            (
                try DeviceList(device).entries.filter { $0.isNamed && !$0.isRevoked && !$0.isReadmitted },
                try device.name()
            )
        }
        self.init(
            addresses: invite.addresses, wasIn: wasIn, name: name, count: members.count,
            hasNamesake: members.contains { !$0.isThis && $0.name == name }, notices: notices)
    }

    /// Where the laptop is now, and with how many others.
    package var sentence: String {
        let others = count == 1 ? "no other laptop yet" : "\(count) laptops in all"
        return wasIn
            ? "This laptop's group is on the server at \(addresses.joined(separator: ", ")) now; here, as \(name), with \(others)."
            : "This laptop is in the group now, as \(name), with \(others)."
    }

    /// Whether there is nobody else in the group.
    package var isFirst: Bool { count == 1 }

    /// That another laptop is called the same, and what changes that; nil where none is.
    package func namesakeSentence(_ remedy: String) -> String? {
        hasNamesake
            ? "Another laptop of the group is called \(name) too. \(remedy) gives this one a name of its own."
            : nil
    }

    /// All of it for a view that has its own ways on: `remedy` is what gives the laptop another name there.
    package func sentences(remedy: String) -> [String] {
        [sentence] + [namesakeSentence(remedy)].compactMap(\.self) + notices.map(\.description)
    }
}
