package import CommandLineKit
package import FocusCore
package import FocusDevice
package import FocusLink
package import FocusSeal
package import FocusStore
package import FocusText

/// A failed operation on the group, in words for a person.
package struct GroupFailure: Error {
    /// The failure that a command reports and ends with.
    package let failure: CommandFailure
    /// Other facts that a person should know, as sentences.
    package let besides: [String]

    /// The failure in words, with the state in which it leaves this laptop.
    ///
    /// - Parameter decided: The sentence about a decision that holds on this laptop although the operation
    ///   failed. It is used only if `trouble` says that there is such a decision.
    package init(_ trouble: GroupOperationFailure, decided: String = "") {
        let failure = trouble.failure.asCommandFailure
        besides = trouble.notices.map(\.sentence)
        let outcome: String
        switch (trouble.standing, trouble.failure) {
        case (.unsynced, .ended(let end)):
            self.failure = CommandFailure(end.assurance, failure.status)
            return
        case (.unsynced, _), (.undone, _): outcome = ""
        case (.withoutInvite, _): outcome = "No invite was made."
        case (.outside, _): outcome = "This laptop hasn't joined."
        case (.inside, _): outcome = "This laptop is in the group, and syncs once that works."
        case (.asBefore, _): outcome = "Nothing was changed."
        case (.decidedHere, _): outcome = decided
        }
        self.failure =
            outcome.isEmpty ? failure : CommandFailure("\(failure.message) \(outcome)", failure.status)
    }

    /// A failure that keeps the operation from being tried at all.
    package init(_ failure: CommandFailure) {
        self.failure = failure
        besides = []
    }
}

/// Runs an operation on the group. Rethrows its failure in words.
package func reported<Result>(
    _ body: () throws(GroupOperationFailure) -> Result
) throws(GroupFailure) -> Result {
    do throws(GroupOperationFailure) { return try body() } catch { throw GroupFailure(error) }
}

/// Runs a check before an operation on the group. Rethrows its failure as that of the operation.
package func possible<Result>(
    _ body: () throws(CommandFailure) -> Result
) throws(GroupFailure) -> Result {
    do throws(CommandFailure) { return try body() } catch { throw GroupFailure(error) }
}

extension GroupOperationError {
    /// The failure as a command reports it.
    package var asCommandFailure: CommandFailure {
        switch self {
        case .ended(let end): CommandFailure(end.explanation, end.status)
        case .refused(let refusal): CommandFailure(refusal.explanation, .refused)
        case .timedOut: CommandFailure("The server didn't answer in time. Try again.", .unreachable)
        case .givenUp: CommandFailure("Given up before the server had answered.", .unreachable)
        case .noGroup:
            CommandFailure(
                "This laptop is in no group. 'focus join INVITE' lets it into one; 'focusd invite' on a server, or 'focus invite' on a laptop of the group, makes the invite.",
                .notNow)
        case .joining(let failure): failure.asCommandFailure
        case .device(let failure): CommandFailure(failure)
        case .seal(let error): CommandFailure(TextLayout.sentence(error.description))
        case .other(let description): CommandFailure(description)
        }
    }
}

extension JoiningFailure {
    fileprivate var asCommandFailure: CommandFailure {
        switch self {
        case .otherGroup:
            CommandFailure("The server let this laptop into another group than the invite's.")
        case .toAnotherGroup:
            CommandFailure(
                "This laptop is in a group, and the invite is to another one. Leave the first with 'focus leave', which keeps a copy of its log, and then join with the same invite: it wasn't used.",
                .notNow)
        case .inAnotherGroup:
            CommandFailure(
                "This laptop is in another group already. Leave that with 'focus leave', which keeps a copy of its log, and then join with a new invite: this one is used up.",
                .notNow)
        case .leftMeanwhile:
            CommandFailure(
                "This laptop left its group meanwhile, so it hasn't joined. Join again with a new invite.",
                .notNow)
        }
    }
}

extension GroupOperationResult {
    /// The sentences after the laptops named `names` were shut out: that they are out, then the notices.
    package func sentences(shuttingOut names: [String]) -> [String] {
        let (isAre, them, they) =
            names.count == 1 ? ("is", "it", "it doesn't") : ("are", "them", "they don't")
        let key = ", and what is changed from now on is sealed under a new key, which \(they) get"
        let done =
            "\(DeviceName.some(names)) \(isAre) out: the server refuses \(them) from now on\(hasKeyWithout ? key : "")."
        return [done] + notices.filter { if case .keyChanged = $0 { false } else { true } }.map(\.sentence)
    }

    /// The sentences after the laptop named `name` was accepted: that it is in, then the notices.
    package func sentences(accepting name: String) -> [String] {
        let others = notices.filter { if case .newcomers = $0 { false } else { true } }
        return ["\(name) is in: it can read what is changed from now on."] + others.map(\.sentence)
    }
}

extension GroupFailure {
    /// The failure to shut out the laptops named `names`, which may already be shut out on this laptop.
    package init(_ trouble: GroupOperationFailure, shuttingOut names: [String]) {
        self.init(
            trouble,
            decided:
                "\(DeviceName.some(names)): shut out on this laptop; the server and the others hear of it with the next sync."
        )
    }

    /// The failure to accept the laptop named `name`, which may already be accepted on this laptop.
    package init(_ trouble: GroupOperationFailure, accepting name: String) {
        self.init(
            trouble, decided: "\(name): accepted on this laptop; it gets the group's key with the next sync.")
    }
}

extension Joined {
    /// The sentence that says which group the laptop is in now, or on which server, and with which laptops.
    package var sentence: String {
        let others = isFirst ? "no other laptop yet" : DeviceName.some(others)
        return wasIn
            ? "This laptop's group is on the server at \(addresses.joined(separator: ", ")) now; here, as \(name), with \(others)."
            : "This laptop is in the group now, as \(name), with \(others)."
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
        [sentence] + [namesakeSentence(remedy)].compactMap(\.self) + notices.map(\.sentence)
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
        do { try self.init(text) } catch { throw GroupOperationError(error).asCommandFailure }
    }
}

extension PublishedInvite {
    /// The use of an invite, to be read after "This invite" or "It". The page has the same words in its own
    /// markup.
    package static let use = "lets one laptop in, within \(counted(lifetime.inSeconds / 60, "minute"))"

    /// The sentence that says what the invite is for, and when it expires.
    ///
    /// - Parameters:
    ///   - now: The shared time at which the invite was made.
    ///   - clocks: The time zone of the expiry time in the sentence.
    package static func sentence(madeAt now: SharedInstant, by clocks: LocalZone = .here) -> String {
        "This invite \(use), until \(clocks.clock(now + lifetime))."
    }
}
