package import CommandLineKit
package import FocusCore
package import FocusFormats
package import FocusFront
package import FocusLink

/// What `focus` can be asked for on its command line.
package enum FocusInvocation: Hashable, Sendable {
    /// A press that took effect `ago` before now, now where that is nil.
    case press(Press, ago: Duration?)
    /// More time for the phase, or less: for the present one, or the one of so long ago.
    case add(Duration, ago: Duration?)
    /// A name for the work.
    case label(String)
    /// `yes`: even where it adds to the history what nobody saw pass.
    case undo(yes: Bool)
    case redo(yes: Bool)
    /// Settings to change or to show, in their order; none asks for all of them. As JSON they are only shown.
    case set([SettingRequest], json: Bool)
    /// The full-screen view on a terminal, else what is running.
    case view
    case status(StatusForm, follow: Bool)
    case web(WebRequest)
    case log(LogRequest)
    case addToLog(PastRequest)
    /// Another label for an entry of the history, by the beginning of its handle.
    case relabel(entry: String, String)
    /// Other times for an entry, or two entries of it.
    case changeEntry(String, EntryChange)
    case removeFromLog(entry: String)
    case stats(StatsRequest)
    case devices(json: Bool)
    case renameDevice(String)
    /// `isOnly`: without those that no laptop has named; `isSure`: without asking.
    case revokeDevices([String], others: RevokeRequest, isSure: Bool)
    case readmitDevice(String)
    /// `isSure`: without asking.
    case acceptDevice(String, isSure: Bool)
    case invite
    case join(JoinRequest)
    case leave(isSure: Bool)
    case sync(json: Bool)
    case export(ExportRequest)
    case importFile(ImportRequest)
    case replay(ReplayRequest)
    case agent(AgentRequest)
    case service(ServiceRequest)
    /// What the clock says of the log; `accept`: it is right, whatever the log says.
    case clock(accept: Bool)
    case doctor(json: Bool)
    case shell(ShellRequest)
}

/// Who is shut out along with the laptops that a command names.
package enum RevokeRequest: Hashable, Sendable {
    case nobody
    /// Those that the server lists and no laptop has named; of those that may have come in through one that is named it is
    /// asked.
    case unnamed
    /// All of these.
    case recent
}

/// A press that can be said to have happened a while ago.
package enum Press: Hashable, Sendable {
    case start(label: String?)
    case pause
    case resume
    /// The main button: whichever of start, pause and resume there is.
    case toggle
    case stop
    case skip
}

/// What `import` is to take in.
package struct ImportRequest: Hashable, Sendable {
    /// The file's path; `-` is standard input.
    package var path: String
    /// The file's format; worked out from the file if it is nil.
    package var format: FileFormat?
    /// Whether nothing is taken in if anything in the file can't be read.
    package var isStrict: Bool

    /// Takes in what can be read, unless something else is said.
    package init(_ path: String, format: FileFormat? = nil, isStrict: Bool = false) {
        self.path = path
        self.format = format
        self.isStrict = isStrict
    }
}

/// What `replay` is to read and to show.
package struct ReplayRequest: Hashable, Sendable {
    /// The paths of logs as text; `-` is standard input.
    package var files: [String]
    /// The instant whose state is shown; now where it is nil.
    package var at: SharedInstant?
    /// Events later than this instant are left out.
    package var until: SharedInstant?
    /// Whether the state is printed as JSON rather than for people.
    package var json: Bool

    /// A replay of these logs, taken together.
    ///
    /// - Parameters:
    ///   - at: nil for now.
    ///   - until: nil leaves nothing out.
    package init(files: [String], at: SharedInstant? = nil, until: SharedInstant? = nil, json: Bool = false) {
        self.files = files
        self.at = at
        self.until = until
        self.json = json
    }
}

/// What is asked of the page.
package enum WebRequest: Hashable, Sendable {
    /// To open it in the browser.
    case open
    /// To print a link to it.
    case print
    /// To sign out every browser that was let in.
    case forget
}

/// What is asked of the background part.
package enum AgentRequest: Hashable, Sendable {
    /// To be it, in the foreground.
    case run
    case status(json: Bool)
    case stop
}
