/// What a person sees, derived from the state alone, for every front end (docs/timer-rules.md §7).
package struct Presentation: Hashable, Sendable {
    /// The button that does the next thing.
    package enum MainButton: String, Hashable, Sendable {
        case start = "Start"
        case pause = "Pause"
        case resume = "Resume"
    }

    package enum StatusLabel: String, Hashable, Sendable {
        case work = "Work"
        case rest = "Break"
        case workPaused = "Work paused"
        case restPaused = "Break paused"
    }

    package enum Theme: String, Hashable, Sendable {
        case work
        case rest = "break"

        /// The theme's colour in sRGB, each part in 0...1.
        package var colour: (red: Double, green: Double, blue: Double) {
            switch self {
            case .work: (0.8941176471, 0.3098039216, 0.4470588235)
            case .rest: (0.3215686275, 0.6470588235, 0.4823529412)
            }
        }

        /// The theme's colour as eight bits a part.
        package var rgb: (red: UInt8, green: UInt8, blue: UInt8) {
            switch self {
            case .work: (0xE4, 0x4F, 0x72)
            case .rest: (0x52, 0xA5, 0x7B)
            }
        }
    }

    package let statusLabel: StatusLabel
    package let mainButton: MainButton
    package let stopShown: Bool
    package let theme: Theme
    /// The time left, in milliseconds; where stopped, the full length of a work phase.
    package let remaining: Int64

    package init(_ state: TimerState) {
        let isBreak = state.run?.activity.isBreak ?? false
        theme = isBreak ? .rest : .work
        stopShown = state.run != nil
        switch state.status {
        case .stopped:
            statusLabel = .work
            mainButton = .start
            remaining = state.settings.length(of: .work)
        case .running(_, _, let remaining):
            statusLabel = isBreak ? .rest : .work
            mainButton = .pause
            self.remaining = remaining
        case .paused(let run, let remaining):
            if run.hasBeenRunning {
                statusLabel = isBreak ? .restPaused : .workPaused
                mainButton = .resume
            } else {
                statusLabel = isBreak ? .rest : .work
                mainButton = .start
            }
            self.remaining = remaining
        }
    }

    /// The time left as `mm:ss`, in whole seconds rounded up, both parts of at least two digits.
    package var clock: String { Presentation.clock(milliseconds: remaining) }

    /// A time left as `mm:ss`, in whole seconds rounded up, both parts of at least two digits.
    package static func clock(milliseconds: Int64) -> String {
        let seconds = max(0, milliseconds).addingReportingOverflow(999).partialValue / 1000
        let twoDigits = { (value: Int64) in value < 10 ? "0\(value)" : "\(value)" }
        return twoDigits(max(0, seconds) / 60) + ":" + twoDigits(max(0, seconds) % 60)
    }
}
