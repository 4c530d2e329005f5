import CommandLineKit
import FocusCore
import FocusDevice
import FocusStore
import FocusText
import FocusWords

/// `focus stats`: the history in numbers and charts.
struct StatsCommand {
    let request: StatsRequest
    /// Whose days the statistics are of.
    var zone = Zone.here

    func run(_ device: Device?, in context: CommandContext) throws(CommandFailure) {
        guard let device else {
            return try show([], Settings(), at: context.clocks.wall(), in: context)
        }
        let (records, settings, now) = try device.using { device throws(StoreError) in
            let (state, journal) = try device.store.history()
            let now = try device.now()
            return (History(journal, state, at: now).records, state.settings, now)
        }
        try show(records, settings, at: now, in: context)
    }

    private func show(
        _ records: [PhaseRecord], _ settings: Settings, at now: Int64, in context: CommandContext
    ) throws(CommandFailure) {
        let calendar = zone.calendar
        let today = calendar.day(of: now)
        let whole = Statistics(records, calendar, of: request.choice)
        let range = try request.range.days(today: today, first: whole.days.first?.day)
        let view = StatsView(
            statistics: Statistics(records, calendar, in: range, of: request.choice), range: range,
            zone: zone.name(at: now), isUsual: request.range == .given(from: nil, to: nil),
            choice: request.choice,
            goal: settings[.dailyGoal], today: today,
            // A goal is one for all work, whatever its label.
            streak: request.choice == .all ? Streak(whole, goal: settings[.dailyGoal], today: today) : nil,
            glyphs: context.console.glyphs, paint: context.console.paint, columns: context.console.columns)
        if request.json {
            let document = StatisticsDocument.document(
                view.statistics, in: range, of: request.choice, goal: view.goal, streak: view.streak,
                in: view.zone, at: now)
            try context.print("\(document)\n")
        } else if records.isEmpty {
            context.console.say("The history is empty.")
        } else {
            try context.print(view.text)
        }
    }
}
