/// One thing that happens to the world from outside: somebody presses, or something goes wrong.
package struct Step: Hashable, Sendable, CustomStringConvertible {
    /// When, in microseconds since the run began.
    package var time: Int64
    /// Decides what is left open.
    package let seed: UInt64
    package let kind: Kind

    package init(_ time: Int64, _ kind: Kind, seed: UInt64 = 0) {
        self.time = time
        self.seed = seed
        self.kind = kind
    }

    /// What can happen. Laptops are numbered from 0; durations are microseconds.
    package enum Kind: Hashable, Sendable {
        /// Somebody presses what the seed says.
        case press(laptop: Int)
        /// Somebody presses this.
        case presses(laptop: Int, Press)
        /// The laptop's network is gone, in both directions or in one.
        case cut(laptop: Int, up: Bool, down: Bool, for: Int64)
        /// Its connection breaks after so many more bytes in one direction.
        case breakConnection(laptop: Int, up: Bool, bytes: Int)
        /// Only so many bytes a second pass, in either direction.
        case slow(laptop: Int, bytesPerSecond: Int64, for: Int64)
        case suspend(laptop: Int, for: Int64)
        /// Its programs are killed, at once or after so many more writes to its disk.
        case kill(laptop: Int, changes: Int = 0, for: Int64)
        /// The power goes after so many more writes to its disk.
        case losePower(laptop: Int, changes: Int, for: Int64)
        case reboot(laptop: Int)
        case fillDisk(laptop: Int, for: Int64)
        case stepClock(laptop: Int, by: Int64)
        /// Somebody at the laptop says that its clock is right, so that what lies ahead of it is brought back.
        case acceptClock(laptop: Int)
        /// Puts away a copy of its disk.
        case backUp(laptop: Int)
        /// Puts the last copy back.
        case restore(laptop: Int)
        /// Copies its disk to another laptop, which goes on as the same device.
        case clone(laptop: Int, to: Int)
        /// The laptop joins the group of another, which lets it in, and leaves behind what it recorded alone, or takes
        /// it along.
        case join(laptop: Int, by: Int, leavingBehind: Bool = false)
        /// As `join`, but the other hands out another key than the group's.
        case joinWithWrongKey(laptop: Int, by: Int)
        /// The laptop parts from its group, and tells the others before, as far as it can, or doesn't.
        case leave(laptop: Int, tellingOthers: Bool = false)
        /// Somebody makes an invite there that nobody uses.
        case invite(laptop: Int)
        /// A laptop is shut out by another.
        case revoke(laptop: Int, by: Int)
        /// The server's operator shuts a laptop out.
        case revokeAtServer(laptop: Int)
        /// The server is told to stop, and does so in good order.
        case stopServer(for: Int64)
        case killServer(changes: Int = 0, for: Int64)
        case losePowerOfServer(changes: Int, for: Int64)
        case fillServerDisk(for: Int64)
        /// Its clock is set by so much, and set right again afterwards.
        case stepServerClock(by: Int64, for: Int64)
        /// The operator says that the server's clock is right now.
        case acceptServerClock
        case backUpServer
        case restoreServer
        /// It gets an empty disk, and each group is brought to it anew.
        case wipeServer
        /// The server makes a backup of itself while it runs.
        case makeServerBackup
        /// The operator restores the last of those.
        case restoreServerBackup
        /// The operator lets a group have so much for a while.
        case setQuota(group: Int, Allowance, for: Int64)
        /// The operator names a laptop and its group, or takes their names away.
        case renameAtServer(laptop: Int, String?)
        /// The operator takes a group off the server, and one of its laptops brings it anew, at once or as people find out
        /// at the next calm.
        case deleteGroup(Int, isCutShort: Bool = false, isBroughtAtOnce: Bool)
        /// The operator makes the server's next key and announces it.
        case announceKey
        /// The operator changes over to that, where all laptops have been told, or in any case.
        case finishKey(isSure: Bool)
        case cancelKey
        /// A program that speaks these versions of the protocol is put on the laptop for a while. It differs from ours in
        /// nothing else.
        case speak(laptop: Int, versions: [UInt16], for: Int64)
        /// Commits take up to so long from now on.
        case slowServer(commit: Int64)
        /// One of several servers stands still.
        case freezeServer(for: Int64)
        /// One of several servers, or all, can't reach the database that they share.
        case cutDatabase(fromAll: Bool, for: Int64)
        /// The database that servers share commits without an answer, or doesn't commit and doesn't say so.
        case loseAnswers(for: Int64)
        /// Servers hear nothing of each other's news.
        case loseNotices(for: Int64)
        /// The intruder does what the seed says.
        case intrude
        /// The traitor does something.
        case betray(Treachery)
        /// Somebody at the laptop finds the traitor out, and shuts out whomever the list has that nobody knows. From
        /// then on people look.
        case findOut(laptop: Int)
        /// The server's host begins to lie, to one laptop or to all, for so long.
        case lie(Deceit, to: Int? = nil, for: Int64)
        /// All that goes wrong is put right, and everybody has to agree.
        case calm
        /// Somebody takes back that laptops were shut out, as far as people think better of them.
        case takeBack
    }

    /// What a group may have.
    package enum Allowance: Hashable, Sendable {
        /// So many events more than it has, or fewer.
        case events(Int)
        /// So many bytes.
        case bytes(Int)
        case devices(Int)
    }

    /// A press that is named.
    package enum Press: Hashable, Sendable {
        case start(String?), pause, resume, stop, skip, undo, redo
        case add(seconds: Int64)
        case label(String)
        case workLength(Int64)
        /// Adds an entry of this label by hand, or splits the last one of the history.
        case log(String), split
        /// Imports a file that has one entry, of this label.
        case importFile(String)
    }

    package var description: String { "\(time / 1000) ms: \(kind)" }
}

extension Step.Kind {
    /// The same, where a laptop is cut off, asleep or off, for so many times as long.
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
