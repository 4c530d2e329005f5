package import FocusCore
package import FocusDevice

/// What there is to be shown, but for where the person is in it: all that a frame is drawn from beside the `ViewState`.
package struct Scene: Hashable, Sendable {
    /// The timer.
    package let presentation: Presentation
    /// The settings that hold for all laptops of the group.
    package let settings: Settings
    /// What the screen that is open shows.
    package let content: Content
    /// What is the matter with the laptop or its log.
    package let troubles: [Trouble]
    /// Why the log can't be read; nil while it can.
    package let problem: String?

    /// What belongs to the screen that is shown.
    package enum Content: Hashable, Sendable {
        case timer(today: FocusTotal)
        case history([HistoryRow])
        case statistics(StatisticsScene)
        /// Which of this laptop's own settings are on.
        case settings(on: Set<LaptopSetting>)
        case devices([DeviceRow])
        /// The log can't be read; `problem` says why.
        case unreadable
    }

    /// What there is to be shown at one instant.
    ///
    /// - Parameter problem: why the log can't be read, as sentences; nil while it can.
    package init(
        presentation: Presentation, settings: Settings, content: Content, troubles: [Trouble] = [],
        problem: String? = nil
    ) {
        self.presentation = presentation
        self.settings = settings
        self.content = content
        self.troubles = troubles
        self.problem = problem
    }
}
