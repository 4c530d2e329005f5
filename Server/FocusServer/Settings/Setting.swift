import CommandLineKit
import FocusServing

/// One of the server's settings: an entry of the table that parsing, `focusd config`, help, completions and the
/// manual go by.
struct Setting: Sendable {
    /// What belongs together in lists.
    enum Topic: String, CaseIterable, Sendable {
        case serving = "Serving"
        case connections = "Connections"
        case events = "Events"
        case groups = "Groups"
        case backups = "Backups"
    }

    /// As it is written in the file and, with two dashes, on the command line.
    let name: String
    let topic: Topic
    /// What it is, to be read after its name: no capital, no full stop.
    let summary: String
    /// What a value has to be, to be read after "must be".
    let allowed: String
    /// The option `--name`, whose value has been looked at and not yet taken.
    let option: Parameter<String?>
    /// Sets it to what the text says; false where that isn't allowed.
    let set: @Sendable (String, inout ServerSettings) -> Bool
    /// Its value as text, as `set` takes it.
    let text: @Sendable (ServerSettings) -> String

    /// An entry for the setting that is kept at `path`.
    init<Value>(
        _ name: String, _ topic: Topic, _ kind: SettingKind<Value>,
        _ path: any WritableKeyPath<ServerSettings, Value> & Sendable, _ summary: String
    ) {
        self.name = name
        self.topic = topic
        self.summary = summary
        allowed = kind.allowed
        let standard = kind.text(ServerSettings()[keyPath: path])
        option = .option(
            name,
            ValueKind(name: kind.name, note: kind.note, offer: kind.offer) { word throws(ValueProblem) in
                guard kind.read(word) != nil else { throw ValueProblem("is not \(kind.allowed)") }
                return word
            }, "\(summary); by default \(standard)")
        set = { text, settings in
            guard let value = kind.read(text) else { return false }
            settings[keyPath: path] = value
            return true
        }
        text = { kind.text($0[keyPath: path]) }
    }

    /// The environment variable that sets it.
    var variable: String {
        "FOCUSD_" + name.map { $0 == "-" ? "_" : $0.uppercased() }.joined()
    }

    /// Its value where nobody sets it.
    var standard: String { text(ServerSettings()) }
}
