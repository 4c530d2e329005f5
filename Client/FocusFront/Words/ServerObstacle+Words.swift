import CommandLineKit
package import FocusCore
import FocusDevice
import FocusSync
package import FocusText

extension ServerObstacle {
    /// The obstacle in a few words, to be read after a colon.
    package var reason: String {
        switch self {
        case .unreachable: "the server can't be reached"
        case .shutDown: "the server was shut down"
        case .turnedAway: "the server turns this laptop away for now"
        case .excess: "the server sends more than any group has"
        case .ownFault: "this laptop's log or key has a problem, 'focus doctor' says which"
        case .otherKey: "the server shows another key"
        case .unknownDevice: "the server doesn't know this laptop"
        case .revoked: "this laptop was shut out"
        case .otherGroup: "the server lists this laptop in another group"
        case .olderDevice: "this laptop's 'focus' is too old"
        case .olderServer: "the server's 'focusd' is too old"
        }
    }

    /// The obstacle and its remedy.
    package var sentence: String {
        switch self {
        case .unreachable, .shutDown, .turnedAway, .excess, .ownFault: TextLayout.sentence(reason)
        case .otherKey: ServerObstacle.otherKeySentence("The server")
        case .unknownDevice:
            "The server doesn't know this laptop: it was set up again, or restored from an older backup. Join again with a new invite (\(ServerObstacle.inviters)). Nothing on this laptop is lost."
        case .revoked:
            "This laptop was shut out of its group. 'focus leave' keeps a copy of its log and starts over."
        case .otherGroup:
            "The server lists this laptop in another group, for good. Leave this one with 'focus leave', which keeps a copy of its log, and join it again with a new invite (\(ServerObstacle.inviters))."
        case .olderDevice, .olderServer:
            "The server and this laptop speak different versions of the protocol. Upgrade \(self == .olderDevice ? "this laptop's 'focus'" : "the server's 'focusd'")."
        }
    }

    /// The sentence for `otherKey`, with `server` as its subject.
    static func otherKeySentence(_ server: String) -> String {
        "\(server) shows another key than the one this laptop knows it by, so nothing was sent to it. If the server was set up again, or changed its key while this laptop was away, join again with a new invite (\(inviters)). Nothing on this laptop is lost."
    }

    /// The commands that make an invite.
    private static let inviters =
        "'focus invite' on another laptop, or 'focusd invite' on the server"
}

extension GroupConnectionStatus {
    /// The text that says since when the laptop is offline, why, and how many changes wait, without a full
    /// stop.
    ///
    /// - Parameters:
    ///   - now: The present instant, in shared time.
    ///   - clocks: The time zone of the time in the text.
    package func offlineText(at now: SharedInstant, by clocks: LocalZone = .current) -> String {
        let verb = pending == 1 ? "waits" : "wait"
        let waiting = pending == 0 ? "nothing waits" : "\(counted(pending, "change")) \(verb)"
        let needsPerson = obstacle?.needsPerson == true
        let end = needsPerson ? pending == 0 ? "" : "; \(waiting) here" : "; \(waiting) to be sent"
        return "\(shortOfflineText(at: now, by: clocks)): \(reason)\(end)"
    }

    /// The reason why the laptop is offline, in a few words.
    private var reason: String {
        if obstacle == .unreachable, let serverLaptop {
            return "the server runs on \(serverLaptop), which can't be reached"
        }
        return obstacle?.reason ?? "no agent is running"
    }

    /// The text that says since when the laptop is offline: `Offline since 14:05`.
    ///
    /// - Parameters:
    ///   - now: The present instant, in shared time.
    ///   - clocks: The time zone of the time in the text.
    package func shortOfflineText(at now: SharedInstant, by clocks: LocalZone = .current) -> String {
        heard.map { "Offline since \(SinceText.text($0, at: now, by: clocks))" } ?? "Offline"
    }
}

/// The text of a past instant, in local time.
package enum SinceText {
    /// Returns `14:05` for an instant today, `yesterday 14:05` for one yesterday, and `Thu 20 Nov 2025 14:05`
    /// for an earlier one.
    package static func text(
        _ instant: SharedInstant, at now: SharedInstant, by clocks: LocalZone = .current
    ) -> String {
        let (day, today) = (clocks.time(at: instant).day, clocks.time(at: now).day)
        let clock = clocks.clock(instant)
        if day == today { return clock }
        return "\(day.advanced(by: 1) == today ? "yesterday" : day.name) \(clock)"
    }
}
