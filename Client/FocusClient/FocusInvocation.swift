package import CommandLineKit
package import FocusCore
package import FocusFormats
package import FocusFront
package import FocusHTTP
package import FocusLink

/// An invocation of `focus`, from its command line.
package enum FocusInvocation: Hashable, Sendable {
    /// A press that took effect `ago` before now, or now if `ago` is nil.
    case press(Press, ago: Duration?)
    /// A start. It began `ago` before now, or begins now or at the request's time if `ago` is nil.
    case start(StartRequest, ago: Duration?)
    /// More time for a phase, or less: for the present phase, or for the phase `ago` before now.
    case add(Duration, ago: Duration?)
    /// A name for the work.
    case label(String)
    /// An undo. With `yes` it never asks first, not even if it changes much of the history (`UndoWarning`).
    case undo(yes: Bool)
    case redo(yes: Bool)
    case idle(IdleRequest)
    /// Settings to change or to show, in order; all are shown if there are none. With `json` they are only
    /// shown.
    case set([SettingRequest], json: Bool)
    case profile(ProfileRequest)
    /// The full-screen view on a terminal, otherwise one line with the state.
    case view
    case status(OutputFormat, follow: Bool)
    case web(WebRequest)
    /// A copy of the page for browsers in a folder. It connects to the server at an origin, or to its own site.
    case exportPage(folder: String, server: WebOrigin?)
    case log(LogRequest)
    case addToLog(AddEntryRequest)
    /// A new label for an entry of the history, which is named by the beginning of its handle.
    case relabel(entry: String, String)
    /// New times for an entry, or a split into two entries.
    case changeEntry(String, EntryChange)
    case removeFromLog(entry: String)
    case stats(StatsRequest)
    case devices(json: Bool)
    case renameDevice(String)
    /// Laptops to shut out, by name or key. `others` tells which further laptops go with them. It asks first
    /// unless `isSure`.
    case revokeDevices([String], others: RevokeScope, isSure: Bool)
    case readmitDevice(String)
    /// A latecomer to accept, without asking if `isSure`.
    case acceptDevice(String, isSure: Bool)
    /// With `showsCode`, the invite is shown as a QR code too.
    case invite(showsCode: Bool)
    case share(ShareRequest)
    case join(JoinRequest)
    case leave(isSure: Bool)
    case sync(json: Bool)
    case export(ExportRequest)
    case importFile(ImportRequest)
    case replay(ReplayRequest)
    case agent(AgentRequest)
    case service(ServiceRequest)
    /// The check of the clock against the log. With `accept`, the clock is taken as right, and early events
    /// are brought back.
    case clock(accept: Bool)
    case doctor(json: Bool)
    /// A trial of notifications and their sound.
    case tryNotification
    case shell(ShellRequest)
}

extension FocusInvocation {
    /// The sentence about a label or a name that was too long and was cut; nil if it wasn't.
    var cutSentence: String? {
        let (kind, text): (String, String?) =
            switch self {
            case .label(let text), .relabel(_, let text): ("label", text)
            case .start(let request, _): ("label", request.label)
            case .addToLog(let request): ("label", request.label)
            case .changeEntry(_, .split(_, let label)): ("label", label)
            case .renameDevice(let name): ("name", name)
            case .join(let request): ("name", request.name)
            case .share(.start(let name, _)): ("name", name)
            default: ("text", nil)
            }
        guard let text, Text.isTooLong(text) else { return nil }
        return "A \(kind) has \(Text.limit) characters at most: the rest was left out."
    }
}

/// The laptops that are shut out together with the ones named in the command.
package enum RevokeScope: Hashable, Sendable {
    case nobody
    /// Laptops without a name in the log, which only the server lists. Before the command shuts out laptops
    /// that may have joined through a named laptop, it asks the person.
    case unnamed
    /// The laptops of `unnamed`, and without a question the laptops that may have joined through a named
    /// laptop.
    case recent
}

/// The request of a `profile` command.
package enum ProfileRequest: Hashable, Sendable {
    case list(json: Bool)
    case use(String)
    /// The present lengths are saved under this name.
    case save(String)
    case remove(String)
}

/// A press that can be backdated.
package enum Press: Hashable, Sendable {
    case pause
    case resume
    /// The main button: start, pause or resume.
    case toggle
    case stop
    case skip
    /// The end of work that is done early.
    case complete
    /// A break now.
    case rest
}

/// A request about times in which nobody is at the laptop.
package enum IdleRequest: Hashable, Sendable {
    /// Show the open question.
    case show
    case answer(AbsenceAnswer)
    /// Nobody has been there for this time; since now if nil.
    case begin(ago: Duration?)
    /// Somebody is there again.
    case end
}

/// The request of an `import` command.
package struct ImportRequest: Hashable, Sendable {
    /// The file's path; `-` is standard input.
    package var path: String
    /// The file's format; nil to recognise it from the file.
    package var format: FileFormat?
    /// Whether to import nothing if anything in the file can't be read.
    package var isStrict: Bool

    /// Makes a request. By default, the readable part of the file is imported.
    package init(_ path: String, format: FileFormat? = nil, isStrict: Bool = false) {
        self.path = path
        self.format = format
        self.isStrict = isStrict
    }
}

/// The request of a `replay` command.
package struct ReplayRequest: Hashable, Sendable {
    /// The paths of logs as text; `-` is standard input.
    package var files: [String]
    /// The instant of the state to show; nil for now.
    package var at: SharedInstant?
    /// The instant after which events are left out; nil to replay all events.
    package var until: SharedInstant?
    /// Whether to print the state as JSON instead of text for people.
    package var json: Bool

    /// Makes a replay of these logs, merged.
    ///
    /// - Parameters:
    ///   - at: The instant of the state to show; nil for now.
    ///   - until: The instant after which events are left out; nil to replay all events.
    package init(files: [String], at: SharedInstant? = nil, until: SharedInstant? = nil, json: Bool = false) {
        self.files = files
        self.at = at
        self.until = until
        self.json = json
    }
}

/// The request of a `share` command.
package enum ShareRequest: Hashable, Sendable {
    /// Share, under this name for the others, or nil to keep the present one. With `showsCode`, the invite is shown
    /// as a QR code too.
    case start(name: String?, showsCode: Bool)
    /// End it.
    case stop
    /// Prepare a move to the server at this address.
    case move(to: String)
}

/// A request about the page.
package enum WebRequest: Hashable, Sendable {
    /// Open the page in the browser.
    case open
    /// Print a link to the page.
    case print
    /// Print the address of a new calendar feed, which replaces a present one if `isRenewing`.
    case calendar(isRenewing: Bool)
    /// Sign out every browser, and end the calendar feed.
    case forget
}

/// A request about the agent.
package enum AgentRequest: Hashable, Sendable {
    /// Run as the agent, in the foreground.
    case run
    case status(json: Bool)
    case stop
}
