package import CommandLineKit
package import FocusContact
package import FocusCore
package import FocusDevice
import FocusLink
import FocusStore

// The group operations of all front ends, with their results as sentences.

extension GroupOperations {
    /// Revokes laptops, and returns the result as sentences. Laptops that a revoked one may have let in
    /// (`found.recent`) stay, and are marked as new.
    package func revoke(_ found: DeviceSelector.Revocable, of device: Device) throws(CommandFailure)
        -> [String]
    {
        try device.using { device throws(StoreError) in try device.markNew(found) }
        do throws(GroupOperationError) {
            let done = try revoke(found.keys).sentences(shuttingOut: found.titles)
            return done + [found.recentSentence].compactMap(\.self)
        } catch {
            throw error.asCommandFailure(shuttingOut: found.titles)
        }
    }

    /// Accepts a laptop, and returns the result as sentences.
    package func accept(_ found: DeviceSelector.Match) throws(CommandFailure) -> [String] {
        do throws(GroupOperationError) {
            return try accept(found.key).sentences(accepting: found)
        } catch {
            throw error.asCommandFailure(accepting: found.title)
        }
    }
}

// Group operations of views that have already asked the person.
extension GroupOperations {
    /// Revokes the laptops of these words, and returns the result as sentences.
    ///
    /// - Parameter revokesOnlyNamed: Whether only these laptops are revoked. If false, all laptops that only
    ///   the server lists are revoked too.
    package func revoke(
        _ words: [String], revokesOnlyNamed: Bool, of device: Device
    ) throws(CommandFailure) -> [String] {
        let found = try device.select { keys throws(DeviceSelector.Failure) in
            try keys.revocable(words, revokesOnlyNamed: revokesOnlyNamed)
        }
        return try revoke(found, of: device)
    }

    /// Accepts the laptop of a word, and returns the result as sentences.
    package func accept(_ word: String, of device: Device) throws(CommandFailure) -> [String] {
        try accept(
            try device.select { keys throws(DeviceSelector.Failure) in try keys.acceptable(word).found })
    }

    /// Leaves the group, unless the server can't be told and the person hasn't agreed to that.
    ///
    /// - Parameter isUntold: Whether to leave without telling the server, after a first attempt failed.
    package func leave(_ device: Device, untold isUntold: Bool) throws(CommandFailure) -> LeaveResult {
        try mapFailure { () throws(DeviceFailure) in try device.requireGroup() }
        var othersKnow = false
        if !isUntold {
            do throws(GroupOperationError) {
                othersKnow = try leave()
            } catch {
                let failure = error.asCommandFailure()
                let reason = ([failure.message] + failure.notes).line
                return .question(GroupQuestion.leaveUntold(try device.lossOfLeaving(after: reason)))
            }
        }
        let done = try device.leave(othersKnow: othersKnow)
        return .done(done + announceLocalChanges(on: device).map(\.sentence))
    }
}

/// The result of an attempt to leave a group.
package enum LeaveResult: Hashable, Sendable {
    /// The laptop has left, as these sentences say.
    case done([String])
    /// The server couldn't be told. The person has to answer this question first.
    case question(String)
}

extension DeviceSelector.Revocable {
    /// The sentence about laptops that stay and that a revoked laptop may have let in; nil if there are none.
    fileprivate var recentSentence: String? {
        guard !recent.isEmpty else { return nil }
        return
            "\(DeviceName.summary(recent.map(\.title))) can still read all changes, and may have been let in by a "
            + "laptop that is shut out. If you don't know whose \(recent.count == 1 ? "it is" : "they are"): "
            + "focus devices revoke NAME."
    }
}

extension DeviceSelector.Match {
    /// The sentence after the laptop was readmitted.
    package var readmission: String { "The revocation of \(title) is taken back." }

    /// Returns the next steps after the laptop was readmitted, with their commands, in lines of at most 80 columns.
    ///
    /// - Parameter isRefused: Whether the server is known to refuse the laptop's key.
    package func afterReadmission(isRefused: Bool) -> String {
        let digits = DeviceName.digits(key)
        if isRefused {
            return """
                The server refuses its key, so it needs a new invite: 'focus invite' here, then
                'focus leave' and 'focus join INVITE' there. Then shut out the old key:
                  focus devices revoke \(digits)
                """
        }
        return """
            If the server still lets it in, this gives it the group's key:
              focus devices accept \(digits)
            If the server refuses its key, it needs a new invite: 'focus invite' here, then
            'focus leave' and 'focus join INVITE' there. Then shut out the old key:
              focus devices revoke \(digits)
            """
    }
}

extension [String] {
    /// The lines of the sentences. Some have several.
    package var lines: [String] { flatMap { $0.split(separator: "\n").map(String.init) } }

    /// The sentences as one line.
    package var line: String { lines.joined(separator: " ") }
}

extension Device {
    /// Readmits the laptop of a word, and returns it.
    package func readmit(_ word: String) throws(CommandFailure) -> DeviceSelector.Match {
        let found = try select { keys throws(DeviceSelector.Failure) in try keys.revoked(word) }
        do throws(StoreError) {
            try readmit(found.key)
        } catch {
            throw GroupOperationError(error).asCommandFailure()
        }
        return found
    }

    /// Whether the server refuses a key, as far as this laptop knows.
    package func isRefusedByServer(_ key: Digest) throws(CommandFailure) -> Bool {
        try using { device throws(StoreError) in
            try device.store.devices().contains { $0.key == key && $0.isRevoked }
        }
    }

    /// Returns the reason why the server couldn't be told that this laptop leaves, and the number of changes
    /// that the group doesn't get then, if there are any.
    ///
    /// - Parameter failure: The reason, in whole sentences.
    package func lossOfLeaving(after failure: String) throws(CommandFailure) -> String {
        let count = try using { device throws(StoreError) in try device.store.pendingCount() }
        guard count > 0 else { return failure }
        let (have, them) = count == 1 ? ("hasn't", "it") : ("haven't", "them")
        return
            "\(failure) \(counted(count, "change")) made here \(have) been sent, and only this laptop's copy of "
            + "the log would have \(them)."
    }

    /// Leaves the group on this laptop, and returns the result as sentences.
    ///
    /// - Parameter othersKnow: Whether the server and the other laptops were told.
    package func leave(othersKnow: Bool) throws(CommandFailure) -> [String] {
        let (name, isShutOut) = try using { device throws(StoreError) in
            (try device.name(), try device.isShutOut())
        }
        let copy = try mapFailure { () throws(DeviceFailure) in try leave() }
        let left = """
            This laptop has left the group and starts over, in no group. A copy of the group's log is kept:
              FOCUS_HOME=\(ShellWord.quoted(copy.data)) focus log
            shows it.
            """
        guard !othersKnow, !isShutOut else { return [left] }
        return [
            left,
            "The server couldn't be told, so the others still list this laptop until one of them shuts it out: "
                + "focus devices revoke \(ShellWord.quoted(name))",
        ]
    }
}
