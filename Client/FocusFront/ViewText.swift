import CommandLineKit
package import FocusCore
package import FocusDevice
package import FocusText

/// Short texts for views. Most are the full-screen view's, and name its keys. The page, bars and
/// `focus status` use the texts that name no key.
package enum ViewText {
    /// The reason why there is nothing to press.
    package static let nothingRuns = "Nothing is running: space starts."

    /// Returns the sentence about why an interaction wasn't carried out.
    package static func sentence(_ reason: InteractionError) -> String {
        switch reason {
        case .nothingRuns: nothingRuns
        case .alreadyRunning: "It is already running: space pauses."
        case .alreadyPaused: "It is already paused: space goes on."
        case .isPaused: "It is paused: space goes on, x stops."
        case .isWaiting: "It is waiting to begin: space begins it now, x takes it away."
        case .isBreak: "It is a break: s ends it."
        case .alreadyBreak: "It is a break already: space pauses it or goes on, s ends it."
        case .nothingWorked: "Nothing was worked in this phase yet."
        case .lengthOutOfRange: "A first phase takes between 1s and 24h."
        case .tooFarAhead: "A start can lie 24 hours ahead at most."
        case .nothingToUndo: "There is nothing to undo."
        case .nothingToRedo: "There is no undo to take back."
        case .nothingAsked: AbsenceQuestion.nothingAsked
        case .settingOutOfRange(let key): range(of: key)
        case .noProfile(let name): ProfileText.none(name)
        case .profileName: ProfileText.nameRule
        case .reservedProfile(let name): ProfileText.reserved(name)
        case .tooManyProfiles: ProfileText.tooMany
        case .timeOutOfRange: "You can add or take away between 1s and 24h at once."
        case .noTimeLeft: "There isn't that much time to take away: s ends the phase."
        case .futureInstant: "Nothing can take effect in the future."
        case .futureEnd: "What was done can't end in the future."
        case .changed(let shown): shown.changeSentence
        }
    }

    /// The sentence about a setting of this laptop that was changed: it is no event, so it can't be undone.
    package static let ownSettingChanged = "Changed on this laptop only: u doesn't take it back."

    /// Returns the sentence about an interaction that was carried out, or nil if its effect is visible.
    package static func successSentence(_ interaction: Interaction) -> String? {
        switch interaction {
        case .add: "It is in the history: u takes it out."
        case .remove: "Removed from the history: u brings it back."
        default: nil
        }
    }

    /// Returns the sentence about the keys that reverse or continue an undo; nil after another interaction.
    ///
    /// - Parameter action: The action that was undone.
    package static func keys(after interaction: Interaction, undoing action: Action?) -> String? {
        guard interaction == .undo, let action else { return nil }
        // Time away is taken out by a pause and a resume, so the pause is left.
        if case .resume = action { return "It is paused again: u takes back the pause too, U resumes." }
        return "U redoes it."
    }

    /// Returns a sentence if the new name of this laptop is also another laptop's, with the remedy; otherwise
    /// nil.
    package static func namesake(
        after interaction: Interaction, on device: Device, remedy: String
    ) -> String? {
        guard case .nameDevice = interaction else { return nil }
        return (try? device.namesakeSentence(remedy)) ?? nil
    }

    /// Returns a sentence about a setting's range, and how its value is written.
    package static func range(of key: SettingKey) -> String {
        "\(key.title) \(key == .daysOff ? "are" : "is") \(SettingText.range(of: key))."
            + (SettingText.isDuration(key) ? " \(DurationText.rule)" : "")
    }

    /// Returns a sentence about the range of a laptop's own setting, and how its value is written.
    package static func range(of setting: LaptopSetting) -> String {
        "\(setting.title) is \(setting.range)." + (setting.lengths == nil ? "" : " \(DurationText.rule)")
    }

    /// Returns the trouble in few words, with the key of the screen of devices, which has the full text.
    package static func short(_ trouble: Trouble) -> String {
        words(trouble).map { "\($0): 5 says more" } ?? "Done while you were away: 5 says what"
    }

    /// Returns the trouble in few words. Nil for `.resolved`, which tells of something done and names no
    /// lasting problem.
    package static func words(_ trouble: Trouble) -> String? {
        switch trouble {
        case .revoked: "Shut out of the group"
        case .server(let obstacle): obstacle.reason.prefix(1).uppercased() + obstacle.reason.dropFirst()
        case .eventsRefused(let code): code.reason
        case .unreadable: "Some changes can't be read yet"
        case .latecomers: "A laptop is waiting to be accepted"
        case .resolved: nil
        case .earlyEvents: "The log is ahead of the clock"
        }
    }

    /// Returns the most important trouble in few words for a prompt or a bar, such as `Offline since 14:05`.
    /// Nil if there is none.
    package static func trouble(_ status: DeviceStatus, _ troubles: [Trouble]) -> String? {
        guard status.isCutOff, case .group(let link) = status.presentation.sharing else {
            return troubles.lazy.compactMap(words).first
        }
        let reason = link.obstacle.flatMap { $0.needsPerson ? ": \($0.reason)" : nil } ?? ""
        return link.shortOfflineText(at: status.now) + reason
    }

    /// Returns a sentence if the laptop is offline, or if its server doesn't answer; otherwise nil.
    package static func offline(_ status: DeviceStatus) -> String? {
        guard case .group(let link) = status.presentation.sharing else { return nil }
        if status.isCutOff { return "\(link.offlineText(at: status.now))." }
        guard link.connection == .online, link.waitsSince != nil else { return nil }
        return "The server doesn't answer: \(waiting(link, at: status.now))."
    }

    /// Returns how many changes wait, and since when if the server takes long.
    private static func waiting(
        _ link: GroupConnectionStatus, at now: SharedInstant, by clocks: LocalZone = .current
    ) -> String {
        let changes = counted(link.pending, "change")
        guard let since = link.waitsSince else { return "\(changes) to send" }
        let verb = link.pending == 1 ? "waits" : "wait"
        return "\(changes) \(verb) since \(SinceText.text(since, at: now, by: clocks))"
    }

    /// The sentence about an entry of the history that somebody removed meanwhile.
    package static let entryRemoved = "That entry isn't in the history any more."

    /// The hint on how to share the session with a key of the full-screen view, in a long form and one for
    /// few columns.
    package static let sharingHint = (
        long: "Only on this laptop. 5, then S shares it, or J joins your others",
        short: "5, then S shares it, J joins"
    )

    /// Returns the device's relation to the other laptops, in a long form and one for few columns. Without a
    /// group, both name the command that shares; the full-screen view has `sharingHint` instead.
    ///
    /// - Parameters:
    ///   - now: The present instant in shared time.
    ///   - clocks: The time zone of the times in the text.
    package static func sharing(
        _ sharing: GroupStatus, at now: SharedInstant, by clocks: LocalZone = .current
    ) -> (long: String, short: String) {
        switch sharing {
        case .alone:
            return (
                "Only on this laptop. To share it with your others: focus share",
                "Share it: focus share"
            )
        case .group(let link):
            let pending = link.pending == 0 ? "" : ", \(waiting(link, at: now, by: clocks))"
            switch link.connection {
            case .online:
                let others = link.others.joined(separator: ", ")
                return others.isEmpty
                    ? ("Online, but no other laptop is\(pending)", "Online, no others")
                    : ("Online with \(others)\(pending)", "With \(others)")
            case .connecting: return ("Connecting to the server…\(pending)", "Connecting…")
            case .offline: return (link.offlineText(at: now, by: clocks), "Offline\(pending)")
            }
        }
    }
}

extension SettingKey {
    /// The setting's name in the form.
    package var title: String {
        switch self {
        case .workLength: "Work"
        case .shortBreakLength: "Short break"
        case .longBreakLength: "Long break"
        case .longBreakFrequency: "Work phases before a long break"
        case .autoStartBreaks: "Breaks begin by themselves"
        case .autoStartWork: "Work begins by itself"
        case .dailyGoal: "Daily goal, in work phases"
        case .dailyFocus: "Daily goal, in focus time"
        case .weeklyGoal: "Weekly goal, in work phases"
        case .weeklyFocus: "Weekly goal, in focus time"
        case .daysOff: "Days off"
        case .idleLimit: "An idle session ends after"
        case .overtime: "Work goes on in overtime"
        }
    }

    /// Whether its values are only on and off.
    package var isSwitch: Bool { range == 0...1 }
}

extension RecentPress {
    /// Returns the press in a few words: `Paused by work, 2 min ago`, or without its age `Paused by work`. If it took
    /// effect at least a minute before it was made, nobody need have pressed then, so it says only when it took
    /// effect: `Paused by work as of 14:05`.
    package func text(by clocks: LocalZone = .current, namesAge: Bool = true) -> String {
        guard time - effect < .seconds(60) else {
            let now = time + .seconds(60 * minutes)
            return "\(words) by \(shownDevice) as of \(SinceText.text(effect, at: now, by: clocks))"
        }
        let age = minutes == 0 ? ", just now" : ", \(minutes) min ago"
        return "\(words) by \(shownDevice)\(namesAge ? age : "")"
    }

    private var words: String {
        switch action {
        case .start(let start) where start.rest: "Break begun"
        case .start(let start): (start.begins ?? time) > time ? "Planned" : "Started"
        case .pause: "Paused"
        case .resume: "Resumed"
        case .stop: "Stopped"
        case .skip: "Skipped"
        case .complete: "Completed"
        case .rest: "Break begun"
        case .adjust(_, _, let seconds, _):
            "\(RecentPress.lengthText(.seconds(seconds.magnitude))) \(seconds < 0 ? "removed" : "added")"
        case .label(_, let text, _): Text.cleaned(text).isEmpty ? "Name removed" : "Renamed"
        case .set(let key, _): SettingKey(rawValue: key).map { "'\($0.title)' changed" } ?? "Settings changed"
        case .profile(_, let lengths): lengths == nil ? "Profile removed" : "Profile changed"
        case .record, .amend, .retime, .split: "History changed"
        case .undo: isRedo ? "Redone" : "Undone"
        case .adopt, .device, .revoke, .readmit, .unknown: "Changed"
        }
    }

    private static func lengthText(_ length: Duration) -> String {
        length.inSeconds % 60 == 0 ? "\(length.inSeconds / 60) min" : DurationText.text(length)
    }
}
