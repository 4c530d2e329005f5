package import CommandLineKit
package import FocusCore
package import FocusDevice
package import FocusLink
package import FocusSeal
package import FocusStore
package import FocusText

/// Runs an operation on the group. Rethrows its failure in words.
package func mapOperationError<Result>(
    _ body: () throws(GroupOperationError) -> Result
) throws(CommandFailure) -> Result {
    do throws(GroupOperationError) { return try body() } catch { throw error.asCommandFailure() }
}

extension GroupOperationError {
    /// The failure as a command reports it, with the state in which it leaves this laptop.
    ///
    /// - Parameter decided: The sentence about a decision that holds on this laptop although the operation
    ///   failed. It is used only if there is such a decision.
    package func asCommandFailure(decided: String = "") -> CommandFailure {
        let notes = notices.map { $0.sentence }.filter { $0 != cause.sentence }
        let outcome: String
        switch (standing, cause) {
        case (.unsynced, .ended(let end)):
            return CommandFailure(end.assurance, cause.status, notes: notes)
        case (.unsynced, _), (.notDone, _): outcome = ""
        case (.withoutInvite, _): outcome = "No invite was made."
        case (.outside, _): outcome = "This laptop hasn't joined."
        case (.inside, _): outcome = "This laptop is in the group, and syncs once that works."
        case (.asBefore, _): outcome = "Nothing was changed."
        case (.decidedHere, _): outcome = decided
        }
        let sentences = [cause.sentence] + (outcome.isEmpty ? [] : [outcome])
        return CommandFailure(sentences.joined(separator: " "), cause.status, notes: notes)
    }

    /// The failure to shut out the laptops named `names`, which may already be shut out on this laptop.
    package func asCommandFailure(shuttingOut names: [String]) -> CommandFailure {
        asCommandFailure(
            decided:
                "\(DeviceName.summary(names)): shut out on this laptop; the server and the others hear of it with the next sync."
        )
    }

    /// The failure to accept the laptop named `name`, which may already be accepted on this laptop.
    package func asCommandFailure(accepting name: String) -> CommandFailure {
        asCommandFailure(
            decided: "\(name): accepted on this laptop; it gets the group's key with the next sync.")
    }
}

extension GroupOperationError.Cause {
    /// The reason, with the remedy if there is one.
    fileprivate var sentence: String {
        switch self {
        case .ended(let end): end.explanation
        case .refused(let refusal): refusal.explanation
        case .timedOut: "The server didn't answer in time. Try again."
        case .unsent(let notice): notice.sentence
        case .shutOut: "This laptop was shut out of its group."
        case .givenUp: "Given up before the server had answered."
        case .noGroup:
            "This laptop is in no group. 'focus share' makes one. 'focus join INVITE' lets it into another laptop's; 'focus invite' there, or 'focusd invite' on a server, makes the invite."
        case .joinedOtherGroup: "The server let this laptop into another group than the invite's."
        case .invitedToOtherGroup:
            "This laptop is in a group, and the invite is to another one. Leave the first with 'focus leave', which keeps a copy of its log, and then join with the same invite: it wasn't used."
        case .inOtherGroup:
            "This laptop is in another group already. Leave that with 'focus leave', which keeps a copy of its log, and then join with a new invite: this one is used up."
        case .alreadyInGroup: "This laptop is in that group already."
        case .leftMeanwhile:
            "This laptop left its group meanwhile, so it hasn't joined. Join again with a new invite."
        case .device(let failure): CommandFailure(failure).message
        case .seal(let error): TextLayout.sentence(error.description)
        case .sharing(let failure): failure.sentence
        case .other(let description): description
        }
    }

    /// The exit status of a command that fails for this reason.
    fileprivate var status: ExitStatus {
        switch self {
        case .ended(let end): end.status
        case .refused, .unsent, .shutOut: .refused
        case .timedOut, .givenUp: .unreachable
        case .noGroup, .invitedToOtherGroup, .inOtherGroup, .alreadyInGroup, .leftMeanwhile: .notNow
        case .device(let failure): CommandFailure(failure).status
        case .sharing(let failure): failure.status
        case .joinedOtherGroup, .seal, .other: .failed
        }
    }
}

extension GroupOperationResult {
    /// The sentences after the laptops named `names` were shut out: that they are out, then the notices.
    package func sentences(shuttingOut names: [String]) -> [String] {
        let (isAre, them, they) =
            names.count == 1 ? ("is", "it", "it doesn't") : ("are", "them", "they don't")
        let key =
            newestKeyExcludesRevoked
            ? ", and later changes are sealed under a new key, which \(they) get" : ""
        let done =
            "\(DeviceName.summary(names)) \(isAre) shut out: the server refuses \(them) from now on\(key)."
        return [done]
            + notices.filter { if case .keyChanged = $0 { false } else { true } }.map { $0.sentence }
    }

    /// The sentences after the laptop `found` was accepted: that it is in, or needs a new invite; then the
    /// notices.
    package func sentences(accepting found: DeviceSelector.Match) -> [String] {
        let others = notices.filter { if case .newcomers = $0 { false } else { true } }
        let done =
            isKeyRefused
            ? "\(found.title) is accepted, but the server refuses its key, so it needs a new invite: "
                + "'focus invite' here, then 'focus leave' and 'focus join INVITE' there. Then shut out the old "
                + "key: focus devices revoke \(DeviceName.digits(found.key))."
            : "\(found.title) is accepted: it can read later changes."
        return [done] + others.map { $0.sentence }
    }
}

extension JoinResult {
    /// The sentence that says which group the laptop is in now, or on which server, and with which laptops.
    package var sentence: String {
        let others = isFirst ? "no other laptop yet" : DeviceName.summary(others)
        switch kind {
        case .joined: return "This laptop is in the group now, as \(name), with \(others)."
        case .alreadyMember: return "This laptop is in that group already, as \(name), with \(others)."
        case .movedGroup:
            return
                "This laptop's group is now on the server at \(addresses.joined(separator: ", ")). This laptop is called \(name), and is with \(others)."
        }
    }

    /// The sentence that says that another laptop has the same name, and how to change that; nil if none has.
    ///
    /// - Parameter remedy: The command or control that renames this laptop, as the subject of a sentence.
    package func namesakeSentence(_ remedy: String) -> String? {
        hasNamesake ? DeviceList.namesakeSentence(name, remedy) : nil
    }

    /// All sentences about joining, for a view that has its own control for renaming.
    ///
    /// - Parameter remedy: The control that renames this laptop, as the subject of a sentence.
    package func sentences(remedy: String) -> [String] {
        [sentence] + [namesakeSentence(remedy)].compactMap { $0 } + notices.map { $0.sentence }
    }
}

extension Device {
    /// The sentence that says that another laptop has the same name, and how to change that; nil if none has.
    ///
    /// - Parameter remedy: The command or control that renames this laptop, as the subject of a sentence.
    package func namesakeSentence(_ remedy: String) throws(StoreError) -> String? {
        let devices = try DeviceList(self)
        return devices.hasNamesake ? DeviceList.namesakeSentence(try name(), remedy) : nil
    }
}

extension DeviceList {
    fileprivate static func namesakeSentence(_ name: String, _ remedy: String) -> String {
        "Another laptop of the group is called \(name) too. \(remedy) gives this one a name of its own."
    }
}

extension Invite {
    /// Reads the invite that a person typed or pasted.
    ///
    /// - Throws: `CommandFailure` with a remedy if `text` isn't an invite.
    package init(handedIn text: String) throws(CommandFailure) {
        do throws(SealError) {
            try self.init(text)
        } catch {
            throw GroupOperationError(.seal(error)).asCommandFailure()
        }
    }
}

extension PublishedInvite {
    /// The use of an invite, to be read after "This invite" or "It". The page has the same words in its own
    /// markup.
    package static let use = "lets one laptop in, within \(counted(lifetime.inSeconds / 60, "minute"))"

    /// The sentence with the link; nil if there is none.
    package var linkSentence: String? { link.map { "On a phone or in a browser: \($0)" } }

    /// The sentence that says what the invite is for, and when it expires.
    ///
    /// - Parameters:
    ///   - now: The shared time at which the invite was made.
    ///   - clocks: The time zone of the expiry time in the sentence.
    package static func sentence(madeAt now: SharedInstant, by clocks: LocalZone = .current) -> String {
        "This invite \(use), until \(clocks.clock(now + lifetime))."
    }
}
