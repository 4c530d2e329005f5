package import FocusCore
package import FocusDevice
package import FocusSeal
package import FocusStore
package import FocusSync

/// An operation that a command asks of the server.
package enum GroupOperation: Sendable {
    /// Make both sides have the same events.
    case sync
    /// Check that the server answers, shows the key that the laptop knows, and lets the laptop in.
    case check
    /// Join a group, or bring one to the server. `name` is this laptop's name for the others, or nil to keep
    /// the present one. The choice is about the solo history.
    case join(Invite, name: String?, SoloHistory.Choice)
    /// Leave an invite with this secret at the server.
    case invite(InviteSecret)
    /// Shut the laptops with these keys out of the group.
    case revoke([Digest])
    /// Give the group's key to the latecomer with this key.
    case accept(Digest)
    /// Leave the group: send all events of this laptop to the server, and end its key there.
    case leave

    /// Whether the laptop's log or membership may change, so that the agent has to reload them.
    package var changesLog: Bool {
        switch self {
        case .sync, .join, .revoke, .accept: true
        // After `leave` the laptop starts over, and the agent is told of that separately.
        case .check, .invite, .leave: false
        }
    }

    /// The longest time that a command waits for the server.
    package static let patience = Duration.seconds(30)
    /// The longest time that a check of the server takes.
    package static let checkPatience = Duration.seconds(10)
    /// The longest time that a press waits for the server if there is no agent.
    package static let pressPatience = Duration.seconds(2)
}

/// The result of a group operation.
package struct GroupOperationResult: Sendable {
    /// The numbers of events sent and received.
    package internal(set) var traffic = SyncTraffic()
    /// The address at which the server answered a check, for people.
    package internal(set) var server = ""
    /// The devices that were connected to the server when this one joined, as the server says.
    package internal(set) var online: Set<Digest> = []
    /// Whether the server has the event by which this laptop leaves, or had already shut this laptop out.
    package internal(set) var othersKnow = false
    /// Whether the group's newest key was made without the revoked devices, so that they don't have it.
    package internal(set) var newestKeyExcludesRevoked = false
    /// Whether the server refuses the key that was accepted, because it knows of a revocation.
    package internal(set) var isKeyRefused = false
    /// The notice about changes that the server hasn't taken; nil if it has all of them.
    package internal(set) var unsent: SyncNotice?
    /// Notices for a person.
    package internal(set) var notices: [SyncNotice] = []
}

/// The failure of a group operation, and the state in which it leaves this laptop.
package struct GroupOperationError: Error, Hashable, Sendable {
    /// The reason for the failure.
    package enum Cause: Hashable, Sendable {
        case ended(SyncEnd)
        /// The server refused the request.
        case refused(Refusal)
        case timedOut
        /// The server hasn't taken all changes, as this notice says, and the group would never get them.
        case unsent(SyncNotice)
        /// This laptop was shut out, and the server doesn't take the changes that wait here.
        case shutOut
        /// The caller cancelled the operation.
        case givenUp
        case noGroup
        /// The server let the laptop into another group than the invite's.
        case joinedOtherGroup
        /// The laptop is in a group, and the invite is to another one. The invite wasn't used.
        case invitedToOtherGroup
        /// The laptop is in another group already, because somebody joined meanwhile.
        case inOtherGroup
        /// The server didn't take the invite, and the laptop is in the invite's group there.
        case alreadyInGroup
        /// The laptop left its group meanwhile, and has another key now.
        case leftMeanwhile
        case device(DeviceFailure)
        case seal(SealError)
        /// This laptop can't share, or can't stop it.
        case sharing(SharingFailure)
        /// Another error, by its own description.
        case other(String)
    }

    /// The state in which a failed operation leaves this laptop.
    package enum Standing: Hashable, Sendable {
        /// The request wasn't carried out.
        case notDone
        /// The changes made here go out with the next sync.
        case unsynced
        /// The server has no invite.
        case withoutInvite
        /// The laptop is in no group.
        case outside
        /// The laptop is in the group that it joined, and hasn't synced yet.
        case inside
        /// The laptop is in the same group as before, with the same server.
        case asBefore
        /// The decision holds here. The server and the others haven't heard of it yet.
        case decidedHere
    }

    /// The reason for the failure.
    package let cause: Cause
    /// The state in which it leaves this laptop.
    package let standing: Standing
    /// Notices for a person.
    package let notices: [SyncNotice]

    /// Makes a failure. By default nothing is done.
    package init(_ cause: Cause, _ standing: Standing = .notDone, notices: [SyncNotice] = []) {
        self.cause = cause
        self.standing = standing
        self.notices = notices
    }

    /// The failure of an operation that an error on this laptop causes.
    package init(local failure: LocalFailure) {
        switch failure {
        case .store(let error): self.init(error)
        case .seal(let error): self.init(.seal(error))
        case .device(let failure): self.init(.device(failure))
        }
    }
}

extension GroupOperationError: ExpressibleByStoreError {
    /// The failure of an operation because of an error of the log.
    package init(_ error: StoreError) { self.init(.other(error.message)) }

    /// Runs `body`, and converts the errors of keys.
    static func converting<Result>(
        _ body: () throws(SealError) -> Result
    ) throws(GroupOperationError) -> Result {
        do throws(SealError) { return try body() } catch { throw GroupOperationError(.seal(error)) }
    }

    /// Runs `body`, and converts its errors.
    static func converting<Result>(
        _ body: () throws(LocalFailure) -> Result
    ) throws(GroupOperationError) -> Result {
        do throws(LocalFailure) { return try body() } catch { throw GroupOperationError(local: error) }
    }
}

/// An invite that the server knows.
package struct PublishedInvite: Sendable {
    /// The line that lets a laptop in. It is a secret.
    package let text: String
    /// The server's page for browsers; nil if it has announced none.
    package let page: WebAddress?
    /// Notices for a person.
    package let notices: [SyncNotice]

    /// Makes the description of an invite that the server has just stored.
    package init(text: String, page: WebAddress? = nil, notices: [SyncNotice]) {
        self.text = text
        self.page = page
        self.notices = notices
    }

    /// The link that opens the server's page with the invite; nil if the server has announced no page.
    package var link: String? { page?.link(to: text) }

    /// The text of the invite's QR code: the link, if there is one. Capitals make a smaller code.
    package var codeText: String {
        let capitals = text.utf8.map { (0x61...0x7A).contains($0) ? $0 - 0x20 : $0 }
        let invite = String(decoding: capitals, as: UTF8.self)
        return page?.link(to: invite) ?? invite
    }

    /// The time until the invite expires.
    package static let lifetime = Duration.seconds(15 * 60)
}
