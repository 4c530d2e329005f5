/// One external event in the world: a press or a fault.
package struct Step: Hashable, Sendable, CustomStringConvertible {
    /// The time, in microseconds since the run began.
    package var time: Int64
    /// The seed of all random choices within the step.
    package let seed: UInt64
    package let kind: Kind

    package init(_ time: Int64, _ kind: Kind, seed: UInt64 = 0) {
        self.time = time
        self.seed = seed
        self.kind = kind
    }

    /// The kinds of steps. Laptops are numbered from 0; durations are in microseconds.
    package enum Kind: Hashable, Sendable {
        /// A press that the seed chooses.
        case press(laptop: Int)
        /// This press, instead of one that the seed chooses.
        case presses(laptop: Int, Press)
        /// The laptop has no network, in both directions or in one. `up` and `down` tell which direction still
        /// works.
        case cut(laptop: Int, up: Bool, down: Bool, for: Int64)
        /// The laptop's connection breaks after `bytes` more bytes in one direction.
        case breakConnection(laptop: Int, up: Bool, bytes: Int)
        /// The laptop's network carries only `bytesPerSecond` in each direction.
        case slow(laptop: Int, bytesPerSecond: Int64, for: Int64)
        case suspend(laptop: Int, for: Int64)
        /// The laptop's programs are killed after `changes` more writes to its disk.
        case kill(laptop: Int, changes: Int = 0, for: Int64)
        /// The laptop loses power after `changes` more writes to its disk.
        case losePower(laptop: Int, changes: Int, for: Int64)
        case reboot(laptop: Int)
        case fillDisk(laptop: Int, for: Int64)
        case stepClock(laptop: Int, by: Int64)
        /// A person says that the laptop's clock is right, so that its early events are brought back.
        case acceptClock(laptop: Int)
        /// A copy of the laptop's disk is made.
        case backUp(laptop: Int)
        /// The laptop's disk is replaced by the last copy.
        case restore(laptop: Int)
        /// The laptop's disk is copied to another laptop, which continues as the same device.
        case clone(laptop: Int, to: Int)
        /// The laptop joins the group of another, by an invite of that one. It takes its own records along or
        /// leaves them behind.
        case join(laptop: Int, by: Int, leavingBehind: Bool = false)
        /// The laptop joins the group of another by an invite with a wrong key in place of the group's.
        case joinWithWrongKey(laptop: Int, by: Int)
        /// The laptop leaves its group. It may tell the others first, if it can.
        case leave(laptop: Int, tellingOthers: Bool = false)
        /// Somebody makes an invite that nobody uses.
        case invite(laptop: Int)
        /// A laptop is revoked by another.
        case revoke(laptop: Int, by: Int)
        /// The server's operator revokes a laptop.
        case revokeAtServer(laptop: Int)
        /// The person at a browser deletes the page's data. The browser joins again by another laptop's
        /// invite. If `isRevoked`, that laptop first revokes the device that is gone.
        case wipeBrowser(laptop: Int, by: Int, isRevoked: Bool)
        /// The server shuts down in good order.
        case stopServer(for: Int64)
        case killServer(changes: Int = 0, for: Int64)
        case losePowerOfServer(changes: Int, for: Int64)
        case fillServerDisk(for: Int64)
        /// The server's clock is changed by `by`, and set right again afterwards.
        case stepServerClock(by: Int64, for: Int64)
        /// The operator says that the server's clock is right.
        case acceptServerClock
        case backUpServer
        case restoreServer
        /// The server gets an empty disk, and each group is brought to it again.
        case wipeServer
        /// The server makes a backup of itself while it runs.
        case makeServerBackup
        /// The operator restores the last backup.
        case restoreServerBackup
        /// The operator sets a quota of a group for a while.
        case setQuota(group: Int, Allowance, for: Int64)
        /// The operator names a laptop and its group, or removes their names.
        case renameAtServer(laptop: Int, String?)
        /// The operator deletes a group. If `isCutShort`, the command ends too early, and the server deletes
        /// the rest. One of the group's laptops brings the group again, at once or at the next `calm`.
        case deleteGroup(Int, isCutShort: Bool = false, isBroughtAtOnce: Bool)
        /// The operator makes the server's next key and announces it.
        case announceKey
        /// The operator changes over to the announced key. Unless `isSure`, this fails if a laptop hasn't
        /// been told of the key.
        case finishKey(isSure: Bool)
        case cancelKey
        /// A program that speaks these versions of the protocol runs on the laptop for a while. It differs
        /// from the real one in nothing else.
        case speak(laptop: Int, versions: [UInt16], for: Int64)
        /// Commits take up to `commit` microseconds from now on.
        case slowServer(commit: Int64)
        /// One of several servers freezes.
        case freezeServer(for: Int64)
        /// One of several servers, or all, can't reach the shared database.
        case cutDatabase(fromAll: Bool, for: Int64)
        /// The shared database loses its answers to commits. Each of these commits may be kept or lost.
        case loseAnswers(for: Int64)
        /// Servers receive no notices of each other's changes.
        case loseNotices(for: Int64)
        /// The intruder does something that the seed chooses.
        case intrude
        /// The traitor does something.
        case betray(TraitorAction)
        /// A person at the laptop notices the traitor, and revokes all devices in the laptop's list that
        /// nobody knows. From then on the people at the group's connected laptops do the same.
        case findOut(laptop: Int)
        /// The server's host begins to lie, to one laptop or to all.
        case lie(HostDeception, to: Int? = nil, for: Int64)
        /// All faults are repaired, and all laptops have to agree.
        case calm
        /// Somebody readmits some of the revoked laptops.
        case takeBack
    }

    /// A group's quota.
    package enum Allowance: Hashable, Sendable {
        /// This many events more than the group has now; fewer if the number is negative.
        case events(Int)
        /// A number of bytes.
        case bytes(Int)
        case devices(Int)
    }

    /// A given press.
    package enum Press: Hashable, Sendable {
        case start(String?), pause, resume, stop, skip, undo, redo
        case add(seconds: Int64)
        case label(String)
        case workLength(Int64)
        /// Adds an entry with this label by hand, or splits the last entry of the history.
        case log(String), split
        /// Imports a file with one entry of this label.
        case importFile(String)
    }

    package var description: String { "\(time / 1000) ms: \(kind)" }
}

extension Step.Kind {
    /// The same step, with the time that a laptop is cut off, asleep or off multiplied by `times`.
    func lasting(_ times: Int64) -> Step.Kind {
        switch self {
        case .cut(let laptop, let up, let down, let duration):
            .cut(laptop: laptop, up: up, down: down, for: duration * times)
        case .suspend(let laptop, let duration): .suspend(laptop: laptop, for: duration * times)
        case .kill(let laptop, let changes, let duration):
            .kill(laptop: laptop, changes: changes, for: duration * times)
        case .losePower(let laptop, let changes, let duration):
            .losePower(laptop: laptop, changes: changes, for: duration * times)
        default: self
        }
    }
}
