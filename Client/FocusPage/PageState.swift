import CommandLineKit
package import FocusCore
package import FocusDevice
import FocusFront
import FocusStore
package import FocusText

/// The state that is sent to a page at each change, with everything that it draws (docs/page.md, "What the
/// page is told").
package struct PageState {
    /// The members of the object of a `state` event, except for those with times of day.
    private let members: [JSON.Member]
    /// The timer, for the members with times of day.
    private let presentation: Presentation
    /// The members that don't change only because time passes. While they are equal, a page that counts down
    /// needs no new state.
    private let timeIndependent: JSON
    /// The present instant, in shared time.
    private let now: SharedInstant
    /// The present instant on a clock that stops while the machine sleeps, as a page's own clock does.
    private let awake: SteadyInstant

    /// The error that a page's clock may have. A larger difference needs a new state.
    private static let clockTolerance = Duration.milliseconds(500)

    /// The state for the pages.
    ///
    /// - Parameters:
    ///   - own: This laptop's own settings.
    ///   - canRedo: Whether there is an undo that a redo takes back.
    ///   - isJoining: Whether the laptop is joining a group.
    ///   - agentRings: Whether the agent makes the bell's sound.
    ///   - problem: The reason why the log can't be read; nil if it can.
    ///   - awake: The present instant on a clock that stops while the machine sleeps.
    package init(
        _ status: DeviceStatus, own: LaptopSettings, troubles: [Trouble],
        canRedo: Bool = false, isJoining: Bool = false, agentRings: Bool = false, problem: String?,
        awake: SteadyInstant
    ) {
        let shown = status.presentation
        let settings = status.state.shownSettings
        let run = TimerState(status.state, at: status.now).run
        let offers = Offer.allCases.filter(shown.offers.contains).map { $0.rawValue }
        let additions = [
            JSON.Member("elapsedMs", .milliseconds(shown.elapsed)),
            // While a run is waiting, no share of a phase is over, so the page draws a whole ring. In overtime
            // it is the length without that, which doesn't change each second.
            JSON.Member(
                "phaseMs",
                .milliseconds(
                    shown.isWaiting
                        ? .zero : shown.elapsed + shown.remaining - (shown.overtime ?? .zero))),
            JSON.Member("lengthMs", .milliseconds(run?.length ?? .zero)),
            JSON.Member("addedText", .optional(shown.addedText)),
            JSON.Member("progress", .number("\(shown.progress)")),
            JSON.Member("phaseIntervals", PageState.intervals(status)),
            JSON.Member("isRunning", .bool(shown.isRunning)),
            JSON.Member("offers", .array((offers + (canRedo ? ["redo"] : [])).map { .string($0) })),
            JSON.Member("cycles", .array(shown.cycles.map { .string($0.rawValue) })),
            JSON.Member(
                "settingTexts",
                .object(
                    SettingKey.allCases.map {
                        JSON.Member($0.rawValue, .string(SettingText.text(settings[$0], of: $0)))
                    })),
            JSON.Member("profileTexts", PageState.profileTexts(status.state)),
            JSON.Member(
                "laptopSettings",
                .object(
                    LaptopSetting.allCases.map {
                        JSON.Member($0.rawValue, .string($0.text(in: own)))
                    })),
            JSON.Member("troubles", .array(troubles.map { .string(PageText.withOwnWords($0.sentence)) })),
            JSON.Member("joining", .bool(isJoining)),
            JSON.Member("agentRings", .bool(agentRings)),
            JSON.Member("notice", .optional(problem.map { PageText.withOwnWords($0) })),
        ]
        guard case .object(let members) = status.json else { preconditionFailure("a status is an object") }
        presentation = shown
        self.members = members + additions
        let link = JSON.Member("link", .string(status.connection.rawValue))
        // The zone matters only at midnight. Most readers have the laptop's.
        let timesOfDay = PageState.clockTexts(shown, at: status.now, by: .current)
        timeIndependent = .object(
            (members + additions).filter { !PageState.timeDependent.contains($0.name) } + timesOfDay
                + [link])
        now = status.now
        self.awake = awake
    }

    /// Returns the spans in which the present phase has been running. If it runs now, the last one has no
    /// end, so that nothing changes while time passes.
    private static func intervals(_ status: DeviceStatus) -> JSON {
        let timer = TimerState(status.state, at: status.now)
        var spans = timer.run?.spans.intervals ?? []
        var open: [JSON] = []
        if case .running = timer.status {
            open = [.array([.instant(spans.popLast()?.from ?? status.now), .null])]
        }
        return .array(spans.map { .array([.instant($0.from), .instant($0.to)]) } + open)
    }

    /// Returns all profiles, with their values in words.
    private static func profileTexts(_ state: ReplayState) -> JSON {
        let saved = Set(state.profiles)
        return .array(
            state.allProfiles.map { profile in
                .object([
                    JSON.Member("name", .string(profile.name)),
                    JSON.Member("text", .string(ProfileText.values(profile.lengths))),
                    JSON.Member("isSaved", .bool(saved.contains(profile))),
                    JSON.Member("isInUse", .bool(profile.isInUse(state.settings))),
                ])
            })
    }

    /// Returns the object of a `state` event.
    ///
    /// - Parameter clocks: The time zone of the page's reader.
    package func json(by clocks: LocalZone) -> JSON {
        .object(members + PageState.clockTexts(presentation, at: now, by: clocks))
    }

    /// Returns the members with times of day.
    private static func clockTexts(
        _ shown: Presentation, at now: SharedInstant, by clocks: LocalZone
    ) -> [JSON.Member] {
        [
            JSON.Member("endText", .optional(shown.endText(by: clocks))),
            JSON.Member("pressText", .optional(shown.press?.text(by: clocks))),
            JSON.Member("sharing", .string(ViewText.sharing(shown.sharing, at: now, by: clocks).long)),
        ]
    }

    /// The members that change because time passes. `sync` also has the state of the connection, which
    /// `timeIndependent` keeps as the member `link`.
    private static let timeDependent: Set<String> = [
        "now", "remainingMs", "overtimeMs", "clock", "elapsedMs", "progress", "sync",
    ]

    /// Whether a page that got `other`, and counts down by its own clock, already shows this state.
    package func isShown(by other: PageState) -> Bool {
        timeIndependent == other.timeIndependent
            && ((now - other.now) - (awake - other.awake)).magnitude < PageState.clockTolerance
    }
}
