package import CommandLineKit
package import FocusCore
package import FocusDevice
package import FocusLink
package import FocusSeal
package import FocusStore
package import FocusText

/// Why something that was asked of the group came to nothing, in words.
package struct GroupFailure: Error {
    /// What a command fails with by it.
    package let failure: CommandFailure
    /// What a person should know besides, as sentences.
    package let besides: [String]

    /// - Parameter decided: what holds on this laptop all the same, where it does, as a sentence.
    package init(_ trouble: ErrandTrouble, decided: String = "") {
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

    /// What keeps it from being asked at all.
    package init(_ failure: CommandFailure) {
        self.failure = failure
        besides = []
    }
}

/// Asks something of the group, and words what it fails by.
package func reported<Result>(
    _ body: () throws(ErrandTrouble) -> Result
) throws(GroupFailure) -> Result {
    do throws(ErrandTrouble) { return try body() } catch { throw GroupFailure(error) }
}

/// Does what has to be possible before anything is asked of the group.
package func possible<Result>(
    _ body: () throws(CommandFailure) -> Result
) throws(GroupFailure) -> Result {
    do throws(CommandFailure) { return try body() } catch { throw GroupFailure(error) }
}

extension ErrandFailure {
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

extension ErrandOutcome {
    /// That the laptops of these names were shut out, and what a person should know besides, as sentences.
    package func sentences(shuttingOut names: [String]) -> [String] {
        let (isAre, them, they) =
            names.count == 1 ? ("is", "it", "it doesn't") : ("are", "them", "they don't")
        let key = ", and what is changed from now on is sealed under a new key, which \(they) get"
        let done =
            "\(DeviceName.some(names)) \(isAre) out: the server refuses \(them) from now on\(hasKeyWithout ? key : "")."
        return [done] + notices.filter { if case .keyChanged = $0 { false } else { true } }.map(\.sentence)
    }

    /// That the laptop of this name was accepted, and what a person should know besides, as sentences.
    package func sentences(accepting name: String) -> [String] {
        let others = notices.filter { if case .newcomers = $0 { false } else { true } }
        return ["\(name) is in: it can read what is changed from now on."] + others.map(\.sentence)
    }
}

extension GroupFailure {
    /// That the laptops of these names couldn't be shut out, or on this laptop alone.
    package init(_ trouble: ErrandTrouble, shuttingOut names: [String]) {
        self.init(
            trouble,
            decided:
                "\(DeviceName.some(names)): shut out on this laptop; the server and the others hear of it with the next sync."
        )
    }

    /// That the laptop of this name couldn't be accepted, or on this laptop alone.
    package init(_ trouble: ErrandTrouble, accepting name: String) {
        self.init(
            trouble, decided: "\(name): accepted on this laptop; it gets the group's key with the next sync.")
    }
}

extension Joined {
    /// Where the laptop is now, and with whom.
    package var sentence: String {
        let others = isFirst ? "no other laptop yet" : DeviceName.some(others)
        return wasIn
            ? "This laptop's group is on the server at \(addresses.joined(separator: ", ")) now; here, as \(name), with \(others)."
            : "This laptop is in the group now, as \(name), with \(others)."
    }

    /// That another laptop is called the same, and what changes that; nil if none is.
    package func namesakeSentence(_ remedy: String) -> String? {
        hasNamesake ? DeviceList.namesakeSentence(name, remedy) : nil
    }

    /// All of it for a view that has its own ways on: `remedy` is what gives the laptop another name there.
    package func sentences(remedy: String) -> [String] {
        [sentence] + [namesakeSentence(remedy)].compactMap(\.self) + notices.map(\.sentence)
    }
}

extension Device {
    /// That another laptop of the group is called as this one, and what changes that; nil if none is.
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
    /// The invite that a person has typed or pasted.
    ///
    /// - Throws: where it is none, with what to do.
    package init(handedIn text: String) throws(CommandFailure) {
        do { try self.init(text) } catch { throw ErrandFailure(error).asCommandFailure }
    }
}

extension MadeInvite {
    /// What an invite is good for, to be read after "This invite" or "It". The page has it in its own markup.
    package static let use = "lets one laptop in, within \(counted(lifetime.inSeconds / 60, "minute"))"

    /// What it is good for, and when it ends.
    ///
    /// - Parameter now: When it was made, in shared time.
    package static func sentence(madeAt now: SharedInstant, by clocks: LocalZone = .here) -> String {
        "This invite \(use), until \(clocks.clock(now + lifetime))."
    }
}
