import CommandLineKit
package import FocusCore
package import FocusDevice
import FocusWords

/// What the full-screen view says in words of its own: where commands name each other, it names keys.
package enum ViewText {
    /// Why there is nothing to press on.
    package static let nothingRuns = "Nothing is running: space starts."

    /// Why an interaction wasn't carried out.
    package static func sentence(_ reason: NotNow) -> String {
        switch reason {
        case .nothingRuns: nothingRuns
        case .alreadyRunning: "It is already running: space pauses."
        case .alreadyPaused: "It is already paused: space goes on."
        case .isPaused: "It is paused: space goes on, x stops."
        case .nothingToUndo: "There is nothing to undo."
        case .nothingToRedo: "There is no undo to take back."
        case .settingOutOfRange(let key): range(of: key)
        case .timeOutOfRange: "You can add or take away between 1s and 24h at once."
        case .futureInstant: "Nothing can take effect in the future."
        case .futureEnd: "What was done can't end in the future."
        case .changed(let shown): shown.changeSentence
        }
    }

    /// What there is to say of something that was done; nil where it shows by itself.
    package static func done(_ interaction: Interaction) -> String? {
        if case .remove = interaction { "Removed from the history: u brings it back." } else { nil }
    }

    /// That a name which was given to this laptop is another one's too, and what changes that; nil if it isn't.
    package static func namesake(
        after interaction: Interaction, on device: Device, remedy: String
    ) -> String? {
        guard case .nameDevice = interaction else { return nil }
        return (try? device.namesakeSentence(remedy)) ?? nil
    }

    /// What a setting can be, and how it is written.
    package static func range(of key: SettingKey) -> String {
        "\(key.title) is \(SettingText.range(of: key))."
            + (SettingText.isDuration(key) ? " \(DurationText.rule)" : "")
    }

    /// What is the matter, in few words; the devices' screen has them all.
    package static func short(_ trouble: Trouble) -> String {
        words(trouble).map { "\($0): 5 says more" } ?? "Settled while you were away: 5 says what"
    }

    /// What is the matter, in few words; nil for what was settled.
    package static func words(_ trouble: Trouble) -> String? {
        switch trouble {
        case .revoked: "Shut out of the group"
        case .server(let obstacle): obstacle.reason.prefix(1).uppercased() + obstacle.reason.dropFirst()
        case .notTaken(let code): code.reason
        case .unreadable: "Some changes can't be read yet"
        case .latecomers: "A laptop is waiting to be accepted"
        case .resolved: nil
        case .ahead: "The log is ahead of the clock"
        }
    }

    /// What is the matter, in few words for a prompt or a bar: `Offline since 14:05`; nil if nothing is.
    package static func trouble(_ status: DeviceStatus, _ troubles: [Trouble]) -> String? {
        guard status.isCutOff, case .group(let link) = status.presentation.sharing else {
            return troubles.lazy.compactMap(words).first
        }
        let reason = link.obstacle.flatMap { $0.needsPerson ? ": \($0.reason)" : nil } ?? ""
        return link.shortOfflineText(at: status.now) + reason
    }

    /// That the laptop is offline, as a sentence; nil if it isn't.
    package static func offline(_ status: DeviceStatus) -> String? {
        guard status.isCutOff, case .group(let link) = status.presentation.sharing else { return nil }
        return "\(link.offlineText(at: status.now))."
    }

    /// What is said of an entry of the history that somebody took out meanwhile.
    package static let entryGone = "That entry isn't in the history any more."

    /// How to share the session, in a longer form and in one for few columns.
    package static let alone = (
        long: "On this laptop alone. To share it with your others: 5, then J", short: "Share it: 5, then J"
    )

    /// How the device stands to the others, in a longer form and in one for few columns.
    ///
    /// - Parameter now: in shared time.
    package static func sharing(_ sharing: Sharing, at now: SharedInstant) -> (long: String, short: String) {
        switch sharing {
        case .alone:
            return (
                "On this laptop alone. To share it with your others: focus join INVITE",
                "Share it: focus join INVITE"
            )
        case .group(let link):
            let pending = link.pending == 0 ? "" : ", \(counted(link.pending, "change")) to send"
            switch link.connection {
            case .online:
                let others = link.others.joined(separator: ", ")
                return others.isEmpty
                    ? ("Online; no other laptop is online\(pending)", "Online, alone")
                    : ("Online with \(others)\(pending)", "With \(others)")
            case .connecting: return ("Connecting to the server…\(pending)", "Connecting…")
            case .offline: return (link.offlineText(at: now), "Offline\(pending)")
            }
        }
    }
}

extension SettingKey {
    /// What the setting is called in the form.
    package var title: String {
        switch self {
        case .workLength: "Work"
        case .shortBreakLength: "Short break"
        case .longBreakLength: "Long break"
        case .longBreakFrequency: "Work phases before a long break"
        case .autoStartBreaks: "Breaks begin by themselves"
        case .autoStartWork: "Work begins by itself"
        case .dailyGoal: "Daily goal, in work phases"
        case .idleLimit: "A session left alone ends after"
        }
    }

    /// Whether it is on or off, and nothing else.
    package var isSwitch: Bool { range == 0...1 }
}
