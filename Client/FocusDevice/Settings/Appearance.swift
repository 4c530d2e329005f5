/// The colours of this laptop's page and full screen, by its settings `theme` and `accent`.
package struct Appearance: Hashable, Sendable {
    /// The choice between a light and a dark background.
    package enum Background: String, CaseIterable, Hashable, Sendable {
        /// The background of the system or of the terminal.
        case system
        case light, dark
    }

    /// The colour of work. A break is green with each of them (docs/timer-rules.md §7).
    package enum Accent: String, CaseIterable, Hashable, Sendable {
        case red, orange, violet
    }

    /// The background that the other colours suit. A terminal's own background stays as it is.
    package var background: Background
    /// The colour of work.
    package var accent: Accent

    /// Creates an appearance. The defaults apply until somebody changes a setting.
    package init(_ background: Background = .system, _ accent: Accent = .red) {
        self.background = background
        self.accent = accent
    }

    /// The appearance by a laptop's settings.
    package init(_ settings: LaptopSettings) {
        self.init()
        if case .name(let name) = settings[.theme] { background = Background(rawValue: name) ?? .system }
        if case .name(let name) = settings[.accent] { accent = Accent(rawValue: name) ?? .red }
    }
}
