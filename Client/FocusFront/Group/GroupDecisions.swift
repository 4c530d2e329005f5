package import CommandLineKit
package import FocusCore
package import FocusDevice
package import FocusLink
import FocusStore

// The results of group operations as sentences, for all front ends. `GroupOperations` in the folder `Process`
// waits for a result, a browser gets a callback.

extension DeviceSelector.Revocable {
    /// Returns the sentences after the operation that revokes these laptops. Laptops that a revoked one may have
    /// let in (`recent`) stay.
    package func sentences(
        after result: Result<GroupOperationResult, GroupOperationError>
    ) throws(CommandFailure) -> [String] {
        switch result {
        case .success(let done):
            return done.sentences(shuttingOut: titles) + [recentSentence].compactMap { $0 }
        case .failure(let error): throw error.asCommandFailure(shuttingOut: titles)
        }
    }
}

extension DeviceSelector.Match {
    /// Returns the sentences after the operation that accepts this laptop.
    package func sentences(
        afterAcceptance result: Result<GroupOperationResult, GroupOperationError>
    ) throws(CommandFailure) -> [String] {
        switch result {
        case .success(let done): return done.sentences(accepting: self)
        case .failure(let error): throw error.asCommandFailure(accepting: title)
        }
    }
}

extension Device {
    /// Selects the laptops of these words, to revoke them.
    ///
    /// - Parameter revokesOnlyNamed: Whether only these laptops are revoked. If false, all laptops that only
    ///   the server lists are revoked too.
    package func revocable(
        _ words: [String], revokesOnlyNamed: Bool
    ) throws(CommandFailure) -> DeviceSelector.Revocable {
        try select { keys throws(DeviceSelector.Failure) in
            try keys.revocable(words, revokesOnlyNamed: revokesOnlyNamed)
        }
    }

    /// Selects the laptop of a word, to accept it.
    package func acceptable(_ word: String) throws(CommandFailure) -> DeviceSelector.Match {
        try select { keys throws(DeviceSelector.Failure) in try keys.acceptable(word).found }
    }

    /// Leaves the group after the server was asked to refuse this laptop, or asks the person if that failed.
    ///
    /// - Parameter othersKnow: Whether the server and the other laptops were told, or the reason why not.
    package func leave(
        after othersKnow: Result<Bool, GroupOperationError>
    ) throws(CommandFailure) -> LeaveResult {
        switch othersKnow {
        case .success(let othersKnow): return .done(try leave(othersKnow: othersKnow))
        case .failure(let error):
            let failure = error.asCommandFailure()
            let reason = ([failure.message] + failure.notes).line
            return .question(GroupQuestion.leaveUntold(try lossOfLeaving(after: reason)))
        }
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
            "\(DeviceName.summary(recent.map { $0.title })) can still read all changes, and may have been let in by a "
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
        let left =
            "This laptop has left the group and starts over, in no group. A copy of the group's log is kept\(copy.useAfterLeaving)"
        guard !othersKnow, !isShutOut else { return [left] }
        return [
            left,
            "The server couldn't be told, so the others still list this laptop until one of them shuts it out: "
                + "focus devices revoke \(ShellWord.quoted(name))",
        ]
    }
}
